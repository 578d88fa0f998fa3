import { describe, expect, it } from 'vitest';
import { singlePart } from '../../packages/readers/src/formats/czi/parts.js';
import { openScenes } from '../../packages/readers/src/formats/czi/scenes.js';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import { openTiff } from '../../packages/readers/src/tiff/parse.js';
import { pageScratch } from '../../packages/readers/src/tiff/scratch.js';
import { openImsBytes, volume } from '../support/hdf5.js';
import { openNd2, timeSeries } from '../support/nd2.js';
import { openFiles, smallImage, stack } from '../support/ome-zarr.js';
import { writeCzi } from '../writers/czi.js';
import { lineScan } from '../writers/czi-kinds.js';
import { writeIms } from '../writers/ims.js';
import { writeNd2 } from '../writers/nd2.js';
import { blosc, imageFiles } from '../writers/ome-zarr.js';
import { writeTiff } from '../writers/tiff.js';

/** Bytes of a page of 40 rows × 30 samples of 16 bits. */
function tiffScratch(page: object): number {
  const bytes = writeTiff({ pages: [{ width: 30, height: 40, samples: new Uint16Array(1200), ...page }] });
  return pageScratch(openTiff(new MemorySource('page.tif', bytes)).page(0).layout);
}

/** A compressed piece is in memory as stored and as decoded: twice its samples at most. */
describe('memory that reading a plane takes beside it', () => {
  it.each([
    ['nothing of note for uncompressed strips', {}, 0],
    ['a compressed strip', { compression: 8, rowsPerStrip: 10 }, 2 * 10 * 30 * 2],
    ['the whole plane when it is one compressed strip', { compression: 8, rowsPerStrip: 40 }, 2 * 40 * 30 * 2],
    ['a compressed tile', { compression: 8, tile: { width: 16, height: 16 } }, 2 * 16 * 16 * 2],
  ])('is %s in TIFF', (_name, page, bytes) => expect(tiffScratch(page)).toBe(bytes));

  it('is a compressed subblock in CZI, and nothing of note for raw ones', () => {
    const scratch = (coded: number[]) => {
      const bytes = writeCzi(lineScan(9, 5, 1, 4, { coded }));
      return openScenes(singlePart(new MemorySource('line.czi', bytes))).scenes[0]?.scratchBytes();
    };
    expect(scratch([])).toBe(0);
    expect(scratch([0])).toBe(2 * 4 * 5 * 2);
  });

  it('is a compressed frame in ND2', () => {
    expect(openNd2(writeNd2(timeSeries())).scratchBytes?.(0)).toBe(0);
    // Rows of 5 × 2 samples are 20 bytes, a multiple of four.
    expect(openNd2(writeNd2(timeSeries({ compression: 0 }))).scratchBytes?.(0)).toBe(2 * 4 * 20);
  });

  it('is a chunk with filters in HDF5', () => {
    const scratch = (over: object) => openImsBytes(writeIms(volume(over))).scratchBytes?.(0);
    expect(scratch({ chunks: [2, 3, 5] })).toBe(0);
    expect(scratch({ chunks: [2, 3, 5], filters: ['gzip'] })).toBe(2 * 2 * 3 * 5 * 2);
  });

  it('is a compressed chunk in OME-Zarr', async () => {
    const plain = openFiles(await imageFiles(smallImage()));
    const packed = openFiles(await imageFiles(smallImage({ codecs: [blosc()] })));
    expect([plain.scratchBytes?.(0), packed.scratchBytes?.(0)]).toEqual([0, 2 * 2 * 3 * 2]);
  });

  it('is also the chunks that are kept in OME-Zarr, because they hold other planes, too', async () => {
    const image = stack({ chunks: [1, 3, 1, 4, 5], codecs: [blosc()] });
    const chunk = 3 * 4 * 5 * 2;
    // 9 × 11 pixels are 3 × 3 chunks.
    expect(openFiles(await imageFiles(image)).scratchBytes?.(0)).toBe(2 * chunk + 9 * chunk);
  });
});
