/** For packages/server/src/cli/main.ts, which is compiled without JavaScript. */
export function nodeFault(version: string): string;
