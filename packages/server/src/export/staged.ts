import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { alreadyExists, OutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import { temporaryPath } from './partial.js';
import { FileSink } from './sink.js';

export interface StageOptions {
  /** Token of the export, see `createToken`. */
  token: string;
  /** Replaces what is at the target. */
  overwrite: boolean;
  /** Called after each piece that was written, with its bytes. */
  onPiece?: (bytes: number) => void;
}

/**
 * Runs `write`, then gives the output its name, and returns its path. Nothing is left when either fails.
 * @param job learns that everything is written, and may still refuse
 */
export async function finishStaged(
  staged: StagedFile | StagedFolder,
  job: { onFinishing: (finished: { partial: string; output: string }) => void },
  write: () => Promise<void>,
): Promise<string> {
  const { partial, target } = staged;
  try {
    await write();
    job.onFinishing({ partial, output: target });
    staged.commit();
    return target;
  } catch (error) {
    staged.discard();
    throw error;
  }
}

/** A file that appears at its target when it is complete. */
export class StagedFile {
  readonly sink: FileSink;
  readonly target: string;
  /** Path of what is being written. */
  readonly partial: string;
  private readonly overwrite: boolean;
  private state: 'open' | 'committed' | 'discarded' = 'open';

  /** Creates the folder of the target if it is missing. @throws OutputError, and errors of the system */
  constructor(target: string, { token, overwrite, onPiece }: StageOptions) {
    this.target = target;
    this.overwrite = overwrite;
    this.partial = temporaryPath(target, 'partial', token);
    checkTarget(target, 'file', overwrite);
    mkdirSync(dirname(target), { recursive: true });
    this.sink = new FileSink(this.partial, onPiece);
  }

  /** Gives the file its name. @throws OutputError if the name was taken meanwhile; errors of the system */
  commit(): void {
    this.sink.finish();
    if (this.overwrite) renameSync(this.partial, this.target);
    else moveToFreeName(this.partial, this.target);
    syncFolder(dirname(this.target));
    this.state = 'committed';
  }

  /** Removes what was written, the target too if it did not exist before. Never throws. */
  discard(): void {
    if (this.state === 'discarded') return;
    const isCommitted = this.state === 'committed';
    this.state = 'discarded';
    try {
      this.sink.close();
      if (!isCommitted) rmSync(this.partial, { force: true });
      else if (!this.overwrite) rmSync(this.target, { force: true });
    } catch {
      // The disk no longer answers; a later export removes what is left.
    }
  }
}

/** Well below the age at which `removeLeftovers` removes a folder. */
const TOUCH_EVERY_MS = 10 * 60 * 1000;

/** A folder that appears at its target when it is complete. */
export class StagedFolder {
  readonly target: string;
  /** Where to write. */
  readonly partial: string;
  /** Where the folder that is replaced is meanwhile. */
  private readonly previous: string;
  private readonly overwrite: boolean;
  private touched = Date.now();

  /** @param isReplaceable whether a folder at the target may be overwritten */
  constructor(target: string, { token, overwrite }: StageOptions, isReplaceable: (target: string) => boolean) {
    this.target = target;
    this.overwrite = overwrite;
    this.partial = temporaryPath(target, 'partial', token);
    this.previous = temporaryPath(target, 'previous', token);
    checkTarget(target, 'folder', overwrite);
    if (existsSync(target) && !isReplaceable(target)) {
      const text =
        'is a folder that was not exported from an acquisition, so --overwrite does not replace it. Choose another name.';
      throw new OutputError('output_exists', basename(target), text);
    }
    mkdirSync(this.partial, { recursive: true });
  }

  /** Shows other exports, which remove temporary folders that nobody has touched for a day, that this one is in use. */
  keepAlive(): void {
    const now = Date.now();
    if (now - this.touched < TOUCH_EVERY_MS) return;
    this.touched = now;
    utimesSync(this.partial, now / 1000, now / 1000);
  }

  /** Waits until the disk has all files, and gives the folder its name. */
  commit(): void {
    syncTree(this.partial);
    if (this.overwrite && existsSync(this.target)) this.replace();
    // Systems refuse to replace a folder, unless it is empty.
    else if (existsSync(this.target)) throw alreadyExists(basename(this.target));
    else renameSync(this.partial, this.target);
    syncFolder(dirname(this.target));
  }

  discard(): void {
    try {
      rmSync(this.partial, { recursive: true, force: true });
    } catch {
      // As for a file.
    }
  }

  private replace(): void {
    renameSync(this.target, this.previous);
    try {
      renameSync(this.partial, this.target);
    } catch (error) {
      renameSync(this.previous, this.target);
      throw error;
    }
    rmSync(this.previous, { recursive: true, force: true });
  }
}

/** Refuses a target that exists, and with `overwrite` one that is not an ordinary file (or folder). */
function checkTarget(target: string, kind: 'file' | 'folder', overwrite: boolean): void {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (!stats) return;
  const name = basename(target);
  if (!overwrite) throw alreadyExists(name);
  if (kind === 'file' ? stats.isFile() : stats.isDirectory()) return;
  const what = stats.isSymbolicLink() ? 'a link' : stats.isDirectory() ? 'a folder' : `not a ${kind}`;
  throw new OutputError('output_exists', name, `is ${what}, so --overwrite does not replace it. Choose another name.`);
}

/** Unlike a rename, a link never replaces a file that another program has written meanwhile. */
function moveToFreeName(partial: string, target: string): void {
  try {
    linkSync(partial, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyExists(basename(target), error);
    // File systems without links, such as exFAT.
    if (existsSync(target)) throw alreadyExists(basename(target));
    renameSync(partial, target);
    return;
  }
  rmSync(partial, { force: true });
}

/** Waits for all files of a tree at its end: most are on the disk by then, so this is faster than after each file. */
function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncFile(path);
  }
  syncFolder(folder);
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes a new name in a folder survive a crash. Not every system can. */
function syncFolder(path: string): void {
  try {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Windows does not open folders.
  }
}
