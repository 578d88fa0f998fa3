/** Exit codes of every command; `docs/cli.md` lists them. */
export const EXIT = {
  ok: 0,
  /** The file could not be opened, or the server could not be started. */
  failed: 1,
  /** An option, environment variable or settings file is invalid. */
  usage: 2,
  /** Another program uses the address. */
  addressTaken: 3,
  /** Some of several files failed. */
  someFailed: 4,
  /** A check has found something that is corrupted or cannot be opened. */
  corrupted: 5,
} as const;
