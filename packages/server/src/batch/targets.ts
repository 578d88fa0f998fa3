/** Which output belongs to which file of a batch. Pure, but for the paths that are compared. */
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { extensionOf } from '@acquisition-store/readers/formats/index.js';

/** Returns the name of a file without the extension of its format, for the name of an output. */
export function stemOf(path: string): string {
  const name = basename(path);
  return name.slice(0, name.length - (extensionOf(name)?.length ?? 0)) || 'image';
}

export interface TargetOptions {
  /** Of the outputs, with its dot. */
  extension: string;
  /** Absolute path of the folder of the outputs. */
  out: string;
  /** Outputs have the folders of their files below this folder; without it all are in `out`. */
  base: string | undefined;
}

/**
 * Returns the outputs of files in their order.
 * @param paths absolute
 * @throws Error when two files would have one output, when an output is a file of the list, or for a file outside `base`
 */
export function planTargets(paths: readonly string[], { extension, out, base }: TargetOptions): string[] {
  const inputs = new Set(paths.map(toKey));
  const taken = new Map<string, string>();
  return paths.map((path) => {
    const target = join(out, base === undefined ? '' : folderBelow(base, path), `${stemOf(path)}${extension}`);
    const other = taken.get(toKey(target));
    if (other === path) throw new Error(`${path} is in the list twice`);
    if (other !== undefined) throw new Error(collision(other, path, target, base));
    if (inputs.has(toKey(target))) {
      throw new Error(
        `${path} would be written to ${target}, which is a file of the list. Choose another folder with --out.`,
      );
    }
    taken.set(toKey(target), path);
    return target;
  });
}

function collision(first: string, second: string, target: string, base: string | undefined): string {
  const advice =
    base === undefined && dirname(first) !== dirname(second)
      ? 'Add --base FOLDER, a folder above both, to keep their folders apart.'
      : 'Export them into different folders.';
  return `${first} and ${second} would both be written to ${target}. ${advice}`;
}

function folderBelow(base: string, path: string): string {
  const folder = relative(base, dirname(path));
  if (folder === '..' || folder.startsWith(`..${sep}`) || isAbsolute(folder)) {
    throw new Error(`${path} is not in ${base} (--base)`);
  }
  return folder;
}

/** The file systems of macOS and Windows ignore case. */
function toKey(path: string): string {
  return process.platform === 'linux' ? path : path.normalize('NFC').toLowerCase();
}
