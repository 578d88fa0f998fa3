import { expect, it } from 'vitest';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { NearbyParts } from '../../../packages/readers/src/io/nearby-parts.js';
import { CountingSource } from '../../support/counting-source.js';

const KIB = 1024;
const BYTES = Uint8Array.from({ length: 600 * KIB }, (_, i) => (i * 7 + (i >> 8)) % 256);

function create() {
  const source = new CountingSource(new MemorySource('a.bin', BYTES));
  return { source, parts: new NearbyParts(source) };
}

it('parts that lie close together are read at once, each with its own bytes', () => {
  const { source, parts } = create();
  const starts = [100, 100 + 16 * KIB, 100 + 32 * KIB];
  for (const [i, start] of starts.entries()) {
    parts.moveTo(starts, i, 10);
    expect([...parts.view(start, 10)!]).toEqual([...BYTES.subarray(start, start + 10)]);
  }
  expect(source.reads).toBe(1);
  expect(source.bytes).toBe(32 * KIB + 10);
});

it('a part without neighbors is not read, and nothing of one before it is left', () => {
  const { source, parts } = create();
  const starts = [0, 10, 11 + 16 * KIB + 10, 5];
  parts.moveTo(starts, 0, 10);
  expect(parts.view(0, 20)).toHaveLength(20);
  source.reset();
  for (const [i, start] of [...starts.entries()].slice(2)) {
    parts.moveTo(starts, i, 10);
    if (start > 20) expect([parts.view(start, 1), parts.view(0, 1)]).toEqual([undefined, undefined]);
  }
  expect(source.bytes).toBe(0);
});

it('a window has whole parts and ends with the file', () => {
  const { parts } = create();
  const starts = [600 * KIB - 30, 600 * KIB - 20, 600 * KIB - 10];
  parts.moveTo(starts, 0, 10);
  expect([...parts.view(starts[2]!, 10)!]).toEqual([...BYTES.subarray(starts[2]!)]);
  parts.moveTo(starts, 0, 11);
  expect([parts.view(starts[1]!, 11), parts.view(starts[2]!, 11)]).toEqual([expect.any(Uint8Array), undefined]);
  const many = Array.from({ length: 300 }, (_, i) => i * KIB);
  const other = create();
  other.parts.moveTo(many, 0, KIB);
  expect(other.source.bytes).toBe(256 * KIB);
});
