import { describe, expect, it } from 'vitest';
import {
  inOnePiece,
  levelOffset,
  readChunk,
  type SampleRows,
  sliceViews,
} from '../../packages/readers/src/derive/zarr/chunk.js';
import { planeRange } from '../../packages/readers/src/derive/zarr/display.js';
import { chunkShape, sceneImage, type ZarrImage } from '../../packages/readers/src/derive/zarr/images.js';
import { allocateSamples, SAMPLE_ARRAYS, type SampleType } from '../../packages/readers/src/model/samples/types.js';
import fc from '../support/fast-check.js';
import { acquisition, lineScan } from './scenes.js';

function imageOf(rows: number, columns: number, sampleType: SampleType): ZarrImage {
  return sceneImage(acquisition(lineScan({ sampleType, sizes: { T: 1, Z: 1, Y: rows, X: columns } })), 0)!;
}

const place = (row: number, column: number, level = 0) => ({ level, t: 0, channel: 0, z: 0, row, column });

describe('readChunk', () => {
  it.each<[number, number, SampleType]>([
    [3, 5, 'uint8'],
    [1_024, 38, 'uint16'],
    [2_500, 38, 'int16'],
    [1_025, 1_030, 'uint8'],
    [7, 2_050, 'float64'],
    [1_030, 1, 'uint64'],
  ])('cuts %i × %i samples of %s into chunks that make the plane again', (rows, columns, sampleType) => {
    const image = imageOf(rows, columns, sampleType);
    const samples = allocateSamples(sampleType, rows * columns);
    for (let i = 0; i < samples.length; i++) {
      (samples as unknown as unknown[])[i] = sampleType === 'uint64' ? BigInt(i) : i % 251;
    }
    const chunk = chunkShape({ rows, columns });
    for (let row = 0; row * chunk.rows < rows; row++) {
      for (let column = 0; column * chunk.columns < columns; column++) {
        const read = toSamples(readChunk(image, place(row, column), inOnePiece(samples)), sampleType);
        const expected = allocateSamples(sampleType, chunk.rows * chunk.columns);
        for (let y = 0; y < chunk.rows && row * chunk.rows + y < rows; y++) {
          const from = (row * chunk.rows + y) * columns + column * chunk.columns;
          const line = samples.subarray(from, from + Math.min(chunk.columns, columns - column * chunk.columns));
          (expected as Uint8Array).set(line as Uint8Array, y * chunk.columns);
        }
        expect(Buffer.from(read.buffer).equals(Buffer.from(expected.buffer)), `${row}/${column}`).toBe(true);
      }
    }
  });

  it('returns views of full rows, without copying', () => {
    const samples = new Uint16Array(3_000 * 38);
    const [first, ...more] = readChunk(imageOf(3_000, 38, 'uint16'), place(1, 0), inOnePiece(samples));
    expect(first?.buffer).toBe(samples.buffer);
    expect([first?.byteOffset, first?.length, more.length]).toEqual([1_024 * 38 * 2, 1_024 * 38 * 2, 0]);
  });

  it('finds levels in one run of all of them', () => {
    const image = imageOf(3_000, 38, 'uint8');
    const run = new Uint8Array(levelOffset(image.levels, 3));
    expect(levelOffset(image.levels, 0)).toBe(0);
    expect(levelOffset(image.levels, 1)).toBe(0);
    run.fill(1, 0, 1_500 * 19);
    run.fill(2, 1_500 * 19);
    for (const level of [1, 2]) {
      const views = readChunk(image, place(0, 0, level), inOnePiece(run), levelOffset(image.levels, level));
      expect(new Set(Buffer.concat(views))).toEqual(new Set([level]));
    }
  });

  it('reads planes in segments, wherever they are divided', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(1, 1_030),
        (rowCounts, columns) => {
          const rows = rowCounts.reduce((sum, count) => sum + count);
          const samples = Uint8Array.from({ length: rows * columns }, (_, i) => i % 253);
          let firstRow = 0;
          const segments = rowCounts.map((count) => {
            const segment = { firstRow, samples: samples.slice(firstRow * columns, (firstRow + count) * columns) };
            firstRow += count;
            return segment;
          });
          const image = imageOf(rows, columns, 'uint8');
          for (const column of columns === 1 ? [0] : [0, 1]) {
            const divided = readChunk(image, place(0, column), { columns, segments });
            const whole = readChunk(image, place(0, column), inOnePiece(samples));
            expect(Buffer.concat(divided).equals(Buffer.concat(whole))).toBe(true);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('never reads outside of the samples', () => {
    expect(() => readChunk(imageOf(10, 10, 'uint8'), place(0, 0), inOnePiece(new Uint8Array(99)))).toThrow(RangeError);
  });
});

it('sliceViews returns a range of bytes across views', () => {
  const views = [Uint8Array.of(0, 1, 2), new Uint8Array(0), Uint8Array.of(3, 4), Uint8Array.of(5)];
  for (let start = 0; start <= 6; start++) {
    for (let end = start; end <= 6; end++) {
      expect([...Buffer.concat(sliceViews(views, start, end))]).toEqual([0, 1, 2, 3, 4, 5].slice(start, end));
    }
  }
});

describe('planeRange', () => {
  const rangeOf = (samples: Float32Array | BigInt64Array) => planeRange(inOnePiece(samples));

  it('is the extremes and the 0.1 and 99.9 percentiles of what is finite', () => {
    const samples = Float32Array.from({ length: 10_001 }, (_, i) => i);
    samples[7] = Number.NaN;
    samples[5_000] = Number.POSITIVE_INFINITY;
    expect(rangeOf(samples)).toEqual({ min: 0, max: 10_000, start: 11, end: 9_990 });
  });

  it('is never empty', () => {
    expect(rangeOf(new Float32Array(9).fill(4))).toEqual({ min: 4, max: 5, start: 4, end: 5 });
    expect(rangeOf(new Float32Array(9).fill(Number.NaN))).toEqual({ min: 0, max: 1, start: 0, end: 1 });
    expect(rangeOf(BigInt64Array.of(...new Array(5_000).fill(3n), -9n))).toEqual({
      min: -9,
      max: 3,
      start: -9,
      end: 3,
    });
  });

  it('looks at samples of every column of a large plane', () => {
    const columns = 512;
    const samples = Float32Array.from({ length: 2_048 * columns }, (_, i) => i % columns);
    const plane: SampleRows = {
      columns,
      segments: [
        { firstRow: 0, samples: samples.subarray(0, 1_000 * columns) },
        { firstRow: 1_000, samples: samples.subarray(1_000 * columns) },
      ],
    };
    expect(planeRange(plane)).toEqual({ min: 0, max: 511, start: 0, end: 511 });
  });
});

function toSamples(views: Uint8Array[], type: SampleType) {
  const bytes = new Uint8Array(Buffer.concat(views));
  return new SAMPLE_ARRAYS[type](bytes.buffer);
}
