import { Argument, Command, InvalidArgumentError } from 'commander';

export interface ConformanceFlags {
  v1?: boolean;
  additions?: boolean;
  json?: boolean;
  token?: string;
  files?: string;
  serverFiles?: string;
  /** Seconds for each request. */
  timeout: number;
}

/** The action of `acqstore conformance`. Resolves to an exit code. */
export interface ConformanceActions {
  conformance(baseUrl: string, flags: ConformanceFlags): Promise<number>;
}

/** Creates `acqstore conformance`. */
export function conformanceCommand(actions: ConformanceActions, done: (code: number) => void): Command {
  return new Command('conformance')
    .description('check from outside whether a server keeps the contract of API v2 or v1')
    .addArgument(
      new Argument('<base-url>', 'address of the server, such as http://127.0.0.1:8767').argParser(toBaseUrl),
    )
    .option('--v1', 'check the frozen API v1 instead of v2')
    .option('--additions', 'also check what this project added to the contract of v2')
    .option('--json', 'print the results as JSON')
    .option('--token <text>', 'token of the server (environment: ACQSTORE_TOKEN)')
    .option('--files <folder>', 'write the files to open into this folder (default: a temporary folder)')
    .option('--server-files <path>', 'path of that folder on the computer of the server, if it is another one')
    .option('--timeout <seconds>', 'time limit of a request', toSeconds, 30)
    .addHelpText('after', HELP_AFTER_CONFORMANCE)
    .action(async (baseUrl: string, flags: ConformanceFlags) => done(await actions.conformance(baseUrl, flags)));
}

const HELP_AFTER_CONFORMANCE = `
The server opens small files that the command writes and deletes. No file dialog is shown.

Examples:
  acqstore conformance http://127.0.0.1:8767
      Check the contract of API v2.
  acqstore conformance http://127.0.0.1:8000 --files /srv/data --server-files /data --json
      Check a server in a container that has /srv/data at /data.

Exit codes:
  0    every check passed or was skipped
  1    a check failed, or the server cannot be checked
  2    an option is invalid`;

function toBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError(`"${text}" is not an http address.`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function toSeconds(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError(`"${text}" is not a number of seconds.`);
  return Number(text);
}
