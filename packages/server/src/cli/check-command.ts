import { Command, Option } from 'commander';
import { searchArgument, withSearchOptions } from './batch-options.js';
import type { CheckFlags } from './flags.js';

/** The action of `acqstore check`. Resolves to an exit code. */
export interface CheckActions {
  check(paths: string[], flags: CheckFlags): Promise<number>;
}

/** Creates `acqstore check`. */
export function checkCommand(actions: CheckActions, done: (code: number) => void): Command {
  const command = new Command('check')
    .description('list what is corrupted, incomplete, inconsistent or uncalibrated in files and folders')
    .addArgument(searchArgument())
    .option('--json', 'print one JSON document at the end')
    .addOption(
      new Option('--jsonl', 'print one line of JSON per recording, also of those that are fine').conflicts('json'),
    )
    .addOption(
      new Option('--planes <which>', 'planes to decode: none, the first and the last one, or all')
        .choices(['none', 'ends', 'all'])
        .default('ends'),
    )
    .option('--strict', 'exit code 5 also for what is incomplete, inconsistent or uncalibrated');
  return withSearchOptions(command)
    .addHelpText('after', HELP_AFTER_CHECK)
    .action(async (paths: string[], flags: CheckFlags) => done(await actions.check(paths, flags)));
}

const HELP_AFTER_CHECK = `
Files are only read. Ctrl-C prints the summary of what was checked so far.

Examples:
  acqstore check /data/2026-11-28
      Check all recordings of a day.
  acqstore check /data --planes all --jsonl > check.jsonl
      Decode every plane, with one line of JSON per recording.

Exit codes:
  0    nothing is corrupted, and everything can be opened
  2    an option is invalid
  5    something is corrupted or cannot be opened
  130  stopped by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP`;
