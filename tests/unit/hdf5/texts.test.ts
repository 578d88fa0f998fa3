import { expect, it } from 'vitest';
import { Container } from '../../../packages/readers/src/hdf5/container.js';
import type { Datatype } from '../../../packages/readers/src/hdf5/datatype.js';
import { toValue } from '../../../packages/readers/src/hdf5/values.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { writeHdf5 } from '../../writers/hdf5.js';

const TEXT = 'x'.repeat(4000);
const bytes = Buffer.from(writeHdf5({ attrs: { note: { vlen: TEXT } } }));

/** `count` references to the one text of the file. */
function texts(count: number): string[] | undefined {
  const file = new Container(new MemorySource('demo.h5', Uint8Array.from(bytes)));
  const reference = Buffer.alloc(16);
  reference.writeUInt32LE(TEXT.length, 0);
  reference.writeBigUInt64LE(BigInt(bytes.indexOf('GCOL')), 4);
  reference.writeUInt32LE(1, 12);
  const data = new Uint8Array(16 * count);
  for (let i = 0; i < count; i++) data.set(reference, 16 * i);
  const type = { kind: 'variable-string', size: 16, label: 'variable-length' } as unknown as Datatype;
  return toValue(file, type, { shape: [count], maxShape: [count], empty: false }, data, 'names').texts;
}

it('a text that many entries share is read for each of them', () => {
  expect(texts(3)).toEqual([TEXT, TEXT, TEXT]);
});

it('a text that many entries share cannot exhaust memory', () => {
  expect(() => texts(100_000)).toThrow(
    expect.objectContaining({ code: 'decode_failed', message: expect.stringMatching(/bytes of names and texts/) }),
  );
});
