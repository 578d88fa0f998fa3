/** An invalid option, environment variable or settings file. The message names it. */
export class UsageError extends Error {}
