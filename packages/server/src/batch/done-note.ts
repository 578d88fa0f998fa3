/**
 * Notes beside the outputs of a batch, `.NAME.done.json`: they tell a later run what is finished, so that an interrupted
 * batch continues where it was.
 */
import { lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import type { ExportTask } from '../export/index.js';
import { StagedFile } from '../export/staged.js';
import type { Fingerprint } from '../platform-node/file-source.js';
import type { Measured } from './measure.js';

/** Size and time of change of a file. */
export interface FileMark {
  size: number;
  mtimeNs: string;
}

export interface DoneNote extends Measured {
  /** Version of the program. */
  version: string;
  /** What was exported, and how: equal texts mean equal outputs. */
  options: string;
  source: FileMark;
  /** Every file that was read, by its absolute path; at most `MAX_FILES`. */
  files: Record<string, FileMark>;
  /** Name of the output: a file may have become a folder for its scenes. */
  output: string;
}

/** A larger set is recognized by its first files. */
const MAX_FILES = 1_000;
const MAX_NOTE_BYTES = 16 * 2 ** 20;

function notePath(target: string): string {
  return join(dirname(target), `.${basename(target)}.done.json`);
}

export function markOf(path: string): FileMark {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return { size: Number(size), mtimeNs: String(mtimeNs) };
}

export function marksOf(files: readonly Fingerprint[]): Record<string, FileMark> {
  return Object.fromEntries(
    files.slice(0, MAX_FILES).map(({ path, size, mtimeNs }) => [path, { size, mtimeNs: String(mtimeNs) }]),
  );
}

/** Writes a note, replacing an older one. @throws OutputError, and errors of the system */
export function writeNote(target: string, note: DoneNote, token: string): void {
  const file = new StagedFile(notePath(target), { token, overwrite: true });
  try {
    file.sink.write(Buffer.from(`${JSON.stringify(note)}\n`));
    file.commit();
  } catch (error) {
    file.discard();
    throw error;
  }
}

export function removeNote(target: string): void {
  rmSync(notePath(target), { force: true });
}

/**
 * Returns a finished output that need not be written again; `undefined` if it must be.
 * @throws OutputError if the output exists, but is of something else, unless `overwrite`
 */
export function findFinished(
  { target, overwrite }: Pick<ExportTask, 'target' | 'overwrite'>,
  now: Pick<DoneNote, 'version' | 'options' | 'source'>,
): (Measured & { path: string }) | undefined {
  const note = readNote(target);
  const path = join(dirname(target), note?.output ?? '');
  if (!note || !exists(path, note)) return undefined;
  const difference = describeDifference(note, now);
  if (difference === undefined) return { path, bytes: note.bytes, sha256: note.sha256 };
  if (overwrite) return undefined;
  const text = `already exists, but ${difference}. Add --overwrite to replace it, or choose another folder.`;
  throw new OutputError('output_exists', note.output, text);
}

function describeDifference(note: DoneNote, now: Pick<DoneNote, 'version' | 'options' | 'source'>): string | undefined {
  if (note.options !== now.options) return 'was exported with other options';
  if (note.version !== now.version) return `was exported by version ${note.version}`;
  const isSame =
    equalMarks(note.source, now.source) && Object.entries(note.files).every(([path, mark]) => isUnchanged(path, mark));
  return isSame ? undefined : 'its source has changed since';
}

function isUnchanged(path: string, mark: FileMark): boolean {
  try {
    return equalMarks(mark, markOf(path));
  } catch {
    return false;
  }
}

function equalMarks(a: FileMark, b: FileMark): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** True when the output is where the note says, with its size. The size of a folder is not looked at. */
function exists(path: string, { bytes }: DoneNote): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isDirectory() || stats.size === bytes);
}

/** Returns a note; `undefined` when it is missing or not one. */
function readNote(target: string): DoneNote | undefined {
  try {
    if (statSync(notePath(target)).size > MAX_NOTE_BYTES) return undefined;
    const note = JSON.parse(readFileSync(notePath(target), 'utf8')) as Partial<DoneNote>;
    const isNote =
      typeof note.output === 'string' &&
      // A note never leads out of its folder.
      basename(note.output) === note.output &&
      typeof note.options === 'string' &&
      typeof note.version === 'string' &&
      typeof note.sha256 === 'string' &&
      typeof note.bytes === 'number' &&
      isMark(note.source) &&
      typeof note.files === 'object' &&
      Object.values(note.files ?? { no: undefined }).every(isMark);
    return isNote ? (note as DoneNote) : undefined;
  } catch {
    return undefined;
  }
}

function isMark(value: unknown): boolean {
  const { size, mtimeNs } = (value ?? {}) as Partial<FileMark>;
  return typeof size === 'number' && typeof mtimeNs === 'string';
}
