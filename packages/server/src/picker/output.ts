import { AcqError } from '@acquisition-store/readers/base/errors.js';

/**
 * Returns the path that a program printed: everything but the last line end, because names may contain line ends.
 * @throws AcqError `path_not_found` when it is not UTF-8
 */
export function printedPath(stdout: Buffer): string {
  const end = stdout.at(-1) === 0x0a ? stdout.length - 1 : stdout.length;
  const bytes = stdout.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notUtf8(bytes.toString('latin1'));
  }
}

export function notUtf8(shown: string): AcqError {
  return new AcqError('path_not_found', 'the name is not valid UTF-8. Rename the file to open it.', { subject: shown });
}
