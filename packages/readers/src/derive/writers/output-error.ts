import { subjectFirst } from '../../base/wording.js';

/** Why an output cannot be written. These codes are of the command line only; `docs/export.md` lists them. */
export const OUTPUT_ERROR_CODES = [
  'output_exists',
  'output_is_source',
  'output_not_writable',
  'disk_full',
  'not_representable',
] as const;

export type OutputErrorCode = (typeof OUTPUT_ERROR_CODES)[number];

/** An output that cannot be written. */
export class OutputError extends Error {
  readonly code: OutputErrorCode;

  /** @param subject name of the output, or of the file that is exported */
  constructor(code: OutputErrorCode, subject: string, statement: string, cause?: unknown) {
    super(subjectFirst(subject, statement), cause === undefined ? undefined : { cause });
    this.name = 'OutputError';
    this.code = code;
  }
}

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Converts an error of the file system; returns any other error as it is.
 * @param name of the output, for the message
 */
export function toOutputError(name: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (DISK_FULL.has(code)) {
    const text = `the disk is full, or your quota is used up (${code}). What was written was removed. Free some space, or export to another disk.`;
    return new OutputError('disk_full', name, text, error);
  }
  if (code === 'EFBIG') {
    const text =
      'the file would be larger than the file system or `ulimit -f` allows (EFBIG). What was written was removed.';
    return new OutputError('disk_full', name, text, error);
  }
  if (code === 'EEXIST') return alreadyExists(name, error);
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new OutputError('output_not_writable', name, `cannot be written (${code}). ${adviceFor(code)}`, error);
}

export function alreadyExists(name: string, cause?: unknown): OutputError {
  return new OutputError('output_exists', name, 'already exists. Choose another name, or add --overwrite.', cause);
}

function adviceFor(code: string): string {
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return 'Choose a folder that you may write to (--out).';
  if (code === 'ENAMETOOLONG') return 'Choose a shorter name (--out).';
  if (code === 'ENOTDIR') return 'A part of its path is a file, not a folder.';
  return 'Check the disk and the path.';
}
