import { Command } from 'commander';
import { searchArgument, withSearchOptions } from './batch-options.js';
import type { CatalogFlags } from './flags.js';

/** The action of `acqstore catalog`. Resolves to an exit code. */
export interface CatalogActions {
  catalog(paths: string[], flags: CatalogFlags): Promise<number>;
}

/** Creates `acqstore catalog`. */
export function catalogCommand(actions: CatalogActions, done: (code: number) => void): Command {
  const command = new Command('catalog')
    .description('list the recordings in folders: when, how large, which dimensions, channels and format')
    .addArgument(searchArgument())
    .option('--jsonl', 'print one line of JSON per recording, as soon as it is known')
    .option('--thumbnails', 'with --jsonl, add a small picture of the first plane of each recording');
  return withSearchOptions(command)
    .addHelpText('after', HELP_AFTER_CATALOG)
    .action(async (paths: string[], flags: CatalogFlags) => done(await actions.catalog(paths, flags)));
}

const HELP_AFTER_CATALOG = `
Files are only read. A set of files counts once.

Examples:
  acqstore catalog /data/2026-11-28
      List the recordings of a day.
  acqstore catalog /data --jsonl > catalog.jsonl
      List all recordings of a tree, with one line of JSON each.

Exit codes:
  0    everything could be opened
  1    nothing could be opened
  2    an option is invalid
  4    some recordings could not be opened; their lines say why
  130  stopped by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP`;
