import { describe, expect, it } from 'vitest';
import { AcqError, decodeFailed } from '../../packages/readers/src/base/errors.js';
import { about, aboutAsync, errorAbout, messageIn, quoteError } from '../../packages/readers/src/base/subject.js';

const truncated = () => decodeFailed('the file is truncated');
const fail = (error: unknown) => (): never => {
  throw error;
};

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the subject of an error', () => {
  it('stands before its statement', () => {
    const error = truncated().about('scan.tif');
    expect(error).toMatchObject({ code: 'decode_failed', message: 'scan.tif: the file is truncated' });
    expect(error).toMatchObject({ subject: 'scan.tif', statement: 'the file is truncated' });
  });

  it('is the innermost one', async () => {
    const work = () => about('a.zip', () => about('a.zip/0/zarr.json', fail(truncated())));
    expect(thrownBy(work)).toMatchObject({ message: 'a.zip/0/zarr.json: the file is truncated' });
    const later = aboutAsync('a.zip', () => aboutAsync('a.zip/0/0', async () => fail(truncated())()));
    await expect(later).rejects.toMatchObject({ message: 'a.zip/0/0: the file is truncated' });
  });

  it('is left out of a message about the same file', () => {
    expect(messageIn('scan.nwb', truncated().about('scan.nwb'))).toBe('the file is truncated');
    expect(messageIn('scan.nwb', truncated())).toBe('the file is truncated');
    expect(messageIn('scan.nwb', truncated().about('frames.tif'))).toBe('frames.tif: the file is truncated');
  });

  it('keeps the code, the details, the time of another attempt and the cause', () => {
    const cause = new Error('EIO');
    const details = [{ location: ['body'], message: 'm', type: 't' }];
    const error = new AcqError('load_timeout', 'takes too long', { details, retryAfterSeconds: 7, cause });
    expect(error.about('scan.tif')).toMatchObject({ code: 'load_timeout', details, retryAfterSeconds: 7, cause });
    const bare = truncated();
    expect(bare.about('scan.tif').cause).toBe(bare);
  });

  it('stays when the statement gets a place inside it', () => {
    const error = truncated().about('scan.tif');
    expect(error.restated(`page 3: ${error.statement}`).message).toBe('scan.tif: page 3: the file is truncated');
  });

  it('stays in the message across threads', () => {
    const { message } = AcqError.fromRecord(truncated().about('scan.tif').toRecord());
    expect(message).toBe('scan.tif: the file is truncated');
  });

  it('is nothing that other errors have', () => {
    const bug = new TypeError('x is not a function');
    expect(errorAbout('scan.tif', bug)).toBe(bug);
    expect(thrownBy(() => about('scan.tif', fail(bug)))).toBe(bug);
  });
});

describe('a warning that quotes an error', () => {
  it.each([
    ['The metadata cannot be read', truncated(), 'The metadata cannot be read: the file is truncated'],
    [
      'The metadata cannot be read',
      truncated().about('b.tif'),
      'b.tif: the metadata cannot be read: the file is truncated',
    ],
    ['Film was skipped', truncated().about('film.tif'), 'film.tif: Film was skipped: the file is truncated'],
  ])('%s: %s', (what, error, warning) => {
    expect(quoteError(what, error)).toBe(warning);
  });
});
