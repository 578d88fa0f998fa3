/** Says which file, or entry in a file, errors are about, where another one than the opened one is read. */

import { AcqError } from './errors.js';
import { asCorrupted } from './warning-kinds.js';
import { subjectFirst, uncapitalized } from './wording.js';

/** Returns the result of `work`; an error that it throws without a subject gets this one. */
export function about<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw errorAbout(subject, error);
  }
}

/** Like `about`, for work that takes a while. */
export async function aboutAsync<T>(subject: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errorAbout(subject, error);
  }
}

/** Returns what was thrown, with this subject if it has none. */
export function errorAbout(subject: string, thrown: unknown): unknown {
  return thrown instanceof AcqError ? thrown.about(subject) : thrown;
}

/** Returns the text of an error for a message that has the name of a file in front: without it, if it is about that file. */
export function messageIn(file: string, { subject, statement, message }: AcqError): string {
  return subject === file ? statement : message;
}

/**
 * Returns a warning that quotes an error, with the error's subject in front:
 * `b.tif: the metadata cannot be read: the text is truncated`.
 * @param what `The metadata cannot be read`
 */
export function quoteError(what: string, { code, subject, statement }: AcqError): string {
  const text = subjectFirst(subject, `${subject === undefined ? what : uncapitalized(what)}: ${statement}`);
  return code === 'decode_failed' || code === 'companion_missing' ? asCorrupted(text) : text;
}
