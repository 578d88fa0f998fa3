import { ZARR_VERSIONS } from '@acquisition-store/readers/derive/zarr/versions.js';
import { PARTS } from '@acquisition-store/readers/model/recording.js';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { EXPORT_NAMES } from '../export/names.js';
import type { ExportFlags } from './flags.js';

/** The action of `acqstore export`. Resolves to an exit code. */
export interface ExportActions {
  export(paths: string[], flags: ExportFlags): Promise<number>;
}

/** Creates `acqstore export`. */
export function exportCommand(actions: ExportActions, done: (code: number) => void): Command {
  const command = new Command('export')
    .description('save acquisitions as files of other programs')
    .addArgument(pathArgument())
    .addOption(new Option('--to <format>', 'what to write').choices(EXPORT_NAMES).makeOptionMandatory())
    .option('-o, --out <path>', 'file or folder to write; several files go into a folder (default: working folder)')
    .addOption(partsOption())
    .option('-s, --scene <index>', 'only this scene, counted from 0', toIndex)
    .option('-t, --time <range>', 'only these time points: A:B, from A to before B, or one index')
    .option('-z, --z <range>', 'only these Z sections: A:B, or one index')
    .option('-c, --channel <index>', 'only this channel, counted from 0', toIndex)
    .addOption(new Option('--zarr <version>', 'version of OME-Zarr (default: 0.5)').choices(ZARR_VERSIONS))
    .addOption(new Option('--compress <method>', 'compress ome-zarr and ome-tiff').choices(['gzip']))
    .option('--window <range>', 'samples that become black and white in an 8-bit PNG image: A:B')
    .option('--overwrite', 'replace outputs that exist')
    .option('--quiet', 'print errors only')
    .option('--jsonl', 'print one line of JSON per file')
    .option('--base <folder>', 'keep the folders of the files below this folder')
    .option('--max-plane-bytes <size>', 'max size of a plane (default: 2GiB)');
  return withListOptions(command)
    .addHelpText('after', HELP_AFTER_EXPORT)
    .action(async (paths: string[], flags: ExportFlags) => done(await actions.export(paths, flags)));
}

const HELP_AFTER_EXPORT = `
An output appears under its name when it is complete. Ctrl-C leaves nothing unfinished.

Examples:
  acqstore export scan.oir --to ome-tiff
      Write scan.ome.tif into the working folder.
  acqstore export stack.czi --to png --time 3 --z 2 --channel 1 --out frame.png
      Write one plane as an image.
  acqstore export --from list.txt --to ome-zarr --out exported --base /data --shard 0/20 --jsonl
      Export every 20th file of a list, with one line of JSON per file. Run it again to continue.

Exit codes:
  0    everything was exported
  1    nothing could be exported
  2    an option is invalid, or two files would have the same output
  4    some files failed; their lines say why
  130  stopped by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP`;

/** The option of commands that open files. */
export function partsOption(): Option {
  const what = 'all: with all other files of the recording that a file is a part of (default: one)';
  return new Option('--parts <which>', what).choices([...PARTS]);
}

/** Adds the options for lists of files, which every command for many files has. */
export function withListOptions(command: Command): Command {
  return withSearchOptions(command)
    .option('--shard <i/n>', 'only every N-th file, from the I-th, counted from 0; one shard per machine')
    .option('--retry <lines>', 'also take the files that failed in an earlier run, from its --jsonl output');
}

/** Adds the options of commands that search folders. */
export function withSearchOptions(command: Command): Command {
  return command
    .option('--from <list>', 'also take the files in a list, one path per line; - is standard input')
    .option('--workers <count>', 'files at a time, 0 for one per core (default: 0)', toIndex)
    .option('--timeout <seconds>', 'longest time that a file may take without progress (default: 120)', toSeconds);
}

/** Files and folders can also come from a list. */
export function searchArgument(): Argument {
  return new Argument('[path...]', 'files, and folders with all folders below them');
}

/** Files can also come from a list. */
export function pathArgument(): Argument {
  return new Argument('[path...]', 'files, and folders: an acquisition, or acquisitions directly inside it');
}

export function toIndex(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError(`"${text}" is not an index.`);
  return Number(text);
}

function toSeconds(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(`"${text}" is not a number of seconds.`);
  return Number(text);
}
