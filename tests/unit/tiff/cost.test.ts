import { describe, expect, it } from 'vitest';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openTiff } from '../../../packages/readers/src/tiff/parse.js';
import { readPageSample } from '../../../packages/readers/src/tiff/read-page.js';
import { CountingSource } from '../../support/counting-source.js';
import { pattern } from '../../support/tiff-pages.js';
import { type PageSpec, writeTiff } from '../../writers/tiff.js';

describe('the cost of a plane', () => {
  const samples = pattern('uint16', 64 * 32, 16);

  it('one plane of 1000 pages reads that plane and its IFD', async () => {
    const pages = new Array<PageSpec>(1000).fill({ width: 64, height: 32, samples, rowsPerStrip: 8 });
    const source = new CountingSource(writeTiff({ pages }));
    const file = openTiff(source);
    source.reset();
    const target = new Float32Target(32, 64);
    await readPageSample(file, file.page(700), 0, target);
    expect(target.data).toEqual(Float32Array.from(samples as Uint16Array));
    expect(source.bytes).toBeLessThanOrEqual(samples.byteLength + 1024);
    expect(source.reads).toBeLessThanOrEqual(3);
  });

  it('strips side by side are read together, strips apart one by one', async () => {
    const count = async (chunkGap: number) => {
      const source = new CountingSource(
        writeTiff({ pages: [{ width: 64, height: 32, samples, rowsPerStrip: 1, chunkGap }] }),
      );
      const file = openTiff(source);
      const page = file.page(0);
      page.numbers(273);
      source.reset();
      await readPageSample(file, page, 0, new Float32Target(32, 64));
      return source.reads;
    };
    expect(await count(0)).toBeLessThanOrEqual(3);
    expect(await count(2)).toBeGreaterThanOrEqual(32);
  });

  it('interleaved strips are decoded once for all samples read one after the other', async () => {
    const planes = [1, 2, 3].map((seed) => pattern('uint8', 64 * 32, 8, seed));
    const bytes = writeTiff({ pages: [{ width: 64, height: 32, samples: planes, compression: 8, rowsPerStrip: 8 }] });
    const source = new CountingSource(bytes);
    const file = openTiff(source);
    for (const sample of [0, 1, 2]) await readPageSample(file, file.page(0), sample, new Float32Target(32, 64));
    expect(source.bytes).toBeLessThan(bytes.length + 4096);
  });
});
