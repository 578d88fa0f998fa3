import { describe, expect, it } from 'vitest';
import { singlePart } from '../../../src/formats/czi/parts.js';
import { openScenes } from '../../../src/formats/czi/scenes.js';
import { Float32Target } from '../../../src/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { SparseSource } from '../../support/sparse-source.js';
import { type CziBlock, dims, PIXEL_TYPES, sparseCzi, timeStamps, words } from '../../writers/czi.js';
import { cziXml } from '../../writers/czi-kinds.js';

/** Subblocks of 512 × 512 pixels of 16 bits: half a megabyte each, sparse except for the one at time `marked`. */
function series(count: number, marked: number): CountingSource {
  const bytes = 512 * 512 * 2;
  const blocks = Array.from({ length: count }, (_, t): CziBlock => {
    const filled = t === marked;
    return {
      dims: dims({ X: 512, Y: 512, C: 1, T: [t, 1] }),
      pixelType: PIXEL_TYPES.Gray16,
      metadata: '<METADATA><Tags/></METADATA>',
      data: filled ? words(512 * 512, () => t) : new Uint8Array(),
      ...(filled ? {} : { hollow: bytes }),
    };
  });
  const stamps = timeStamps(Array.from({ length: count }, (_, t) => 0.25 * t));
  const { size, pieces } = sparseCzi({ blocks, xml: cziXml({ um: { X: 0.25 } }), attachments: [stamps] });
  return new CountingSource(new SparseSource('big.czi', size, pieces));
}

describe('reading CZI', () => {
  it('opens 5 GB in 10,000 subblocks from the directory and the metadata, then reads one plane', async () => {
    const source = series(10_000, 7000);
    expect(source.size).toBeGreaterThan(5_000_000_000);
    const { scenes } = openScenes(singlePart(source));
    const [scene] = scenes;
    expect(scene?.info.sizes).toEqual({ T: 10_000, Z: 1, Y: 512, X: 512 });
    expect(scene?.info.warnings).toEqual([]);
    expect(scene?.info.steps.T.step).toBe(0.25);
    // An entry of four dimensions takes 112 bytes, a time stamp 8.
    expect(source.bytes).toBeLessThan(10_000 * (112 + 8) + 3000);
    expect(source.reads).toBeLessThan(25);
    source.reset();
    const target = new Float32Target(512, 512);
    await scene?.read({ channel: 0, t: 7000, z: 0 }, target);
    expect([target.data[0], target.data[262_143]]).toEqual([7000, 7000]);
    expect(source.bytes).toBeLessThan(512 * 512 * 2 + 1000);
  });

  it('reads a line scan of 1,000 runs with one read for each run', async () => {
    const blocks = Array.from(
      { length: 1000 },
      (_, i): CziBlock => ({
        dims: dims({ X: 128, T: [82 * i, 82], C: 1 }),
        pixelType: PIXEL_TYPES.Gray16,
        data: new Uint8Array(),
        hollow: 82 * 128 * 2,
      }),
    );
    const { size, pieces } = sparseCzi({ blocks });
    const source = new CountingSource(new SparseSource('line.czi', size, pieces));
    const { scenes } = openScenes(singlePart(source));
    expect(scenes[0]?.info.sizes.Y).toBe(82_000);
    source.reset();
    await scenes[0]?.read({ channel: 0, t: 0, z: 0 }, new Float32Target(82_000, 128));
    // The first run shows where the pixels start, and is read a second time.
    expect(source.reads).toBeLessThan(1010);
    expect(source.bytes).toBeLessThan(1001 * 82 * 128 * 2 + 1001 * 400);
  });
});
