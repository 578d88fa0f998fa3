/** Files that belong to recordings which were just listed: lists leave them out, and do not open them. */
import { sep } from 'node:path';
import type { Survey } from './survey.js';
import { listedPath } from './whole-recording.js';

/** Files that are remembered. */
const MAX_FILES = 200_000;
/** Milliseconds that they are: files may be replaced. */
const MAX_AGE_MS = 60_000;

export class KnownFiles {
  /** Files, and until when each is remembered. */
  private readonly files = new Map<string, number>();

  /** True for a file that belongs to a recording which is listed by another of its files. */
  has(path: string): boolean {
    const until = this.files.get(path);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.files.delete(path);
    return false;
  }

  /** Forgets the files of a folder that is listed from its beginning: those that they belonged to may be gone. */
  forget(folder: string): void {
    const start = folder.endsWith(sep) ? folder : folder + sep;
    for (const file of this.files.keys()) if (file.startsWith(start)) this.files.delete(file);
  }

  /**
   * Remembers the files of a recording but the one that stands for it.
   * @param path that the file which was opened is listed by
   * @param main the file that stands for it, where that is not the one that was opened
   */
  add(path: string, { path: opened, files }: Pick<Survey, 'path' | 'files'>, main = opened): void {
    const until = performance.now() + MAX_AGE_MS;
    for (const file of files ?? []) {
      const listed = listedPath(path, opened, file);
      if (file === main || (main === opened && listed === path)) continue;
      this.files.delete(listed);
      this.files.set(listed, until);
    }
    for (const oldest of this.files.keys()) {
      if (this.files.size <= MAX_FILES) break;
      this.files.delete(oldest);
    }
  }
}
