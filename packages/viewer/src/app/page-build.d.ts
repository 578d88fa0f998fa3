/** What a build for a page without a server knows; null in that for the server. */
declare const __PAGE__: import('./no-server.ts').PageBuild | null;
