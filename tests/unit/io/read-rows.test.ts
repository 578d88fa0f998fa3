import { expect, it } from 'vitest';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { readRows } from '../../../packages/readers/src/io/read-rows.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { storedBytes } from '../../../packages/readers/src/model/samples/types.js';

/** Three rows of two columns of two channels, as pairs of bytes, after a header of a byte. */
const BYTES = new Uint8Array([99, 9, 0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5]);
const SECOND = { offset: 2, sampleType: 'uint8', littleEndian: true, interleaved: 2 } as const;

function readSecond(bandBytes?: number, wants = (_row: number, _rows: number) => true) {
  const source = new MemorySource('a.raw', BYTES);
  const reads: [offset: number, length: number][] = [];
  const readInto = (into: Uint8Array, offset: number) => {
    reads.push([offset, into.length]);
    source.readInto(into, offset);
  };
  const target = new NativeTarget('uint8', 3, 2);
  const wanting = { rows: 3, columns: 2, put: target.put.bind(target), wants };
  readRows({ readInto }, SECOND, wanting, undefined, bandBytes);
  return { reads, samples: [...(target.data as Uint8Array)] };
}

it('rows are read in bands that cover each once, without the channels behind the last sample', () => {
  expect(readSecond()).toEqual({ reads: [[2, 11]], samples: [0, 1, 2, 3, 4, 5] });
  const two = [
    [2, 7],
    [10, 3],
  ];
  expect(readSecond(8)).toEqual({ reads: two, samples: [0, 1, 2, 3, 4, 5] });
  // A row that is larger than a band.
  expect(readSecond(1).reads).toHaveLength(3);
});

it('rows that nobody wants are not read', () => {
  const { reads, samples } = readSecond(1, (row) => row === 1);
  expect(reads).toEqual([[6, 3]]);
  expect(samples).toEqual([0, 0, 2, 3, 0, 0]);
});

it('a plane behind the end of the file is refused, and an abort is obeyed', () => {
  const source = new MemorySource('a.raw', BYTES);
  const target = new NativeTarget('uint8', 4, 2);
  expect(() => readRows(source, SECOND, target)).toThrow('a.raw: bytes 2–17 are missing: the file ends at 13');
  expect(() => readRows(source, SECOND, target, AbortSignal.abort())).toThrow('aborted');
});

it('the bytes of a sample are those of the file, also of 16-bit floats', () => {
  expect((['int8', 'uint16', 'float16', 'float32', 'int64'] as const).map(storedBytes)).toEqual([1, 2, 2, 4, 8]);
});
