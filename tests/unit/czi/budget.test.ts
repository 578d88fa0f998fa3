import { describe, expect, it } from 'vitest';
import { grouped } from '../../../packages/readers/src/base/wording.js';
import { singlePart } from '../../../packages/readers/src/formats/czi/parts.js';
import { openScenes } from '../../../packages/readers/src/formats/czi/scenes.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { SparseSource } from '../../support/sparse-source.js';
import { type CziBlock, dims, PIXEL_TYPES, sparseCzi, timeStamps, words, writeCzi } from '../../writers/czi.js';
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

  /** Line `t` of channel `c` is a subblock of its own, whose metadata are longer the higher `t` is. */
  const lineByLine = (change: (blocks: CziBlock[]) => CziBlock[] = (blocks) => blocks) => {
    const blocks = Array.from(
      { length: 2000 },
      (_, i): CziBlock => ({
        dims: dims({ X: 100, T: [i >> 1, 1], C: [i % 2, 1] }),
        pixelType: PIXEL_TYPES.Gray16,
        metadata: `<METADATA>${'x'.repeat(i >> 4)}</METADATA>`,
        data: words(100, (x) => valueAt(i >> 1, i % 2, x)),
      }),
    );
    return writeCzi({ blocks: change(blocks) });
  };
  const valueAt = (t: number, c: number, x: number) => 50 * t + 7 * c + x;

  it.each<[string, (blocks: CziBlock[]) => CziBlock[], number]>([
    // About 1.7 MB in pieces of 256 KiB, and a read for a line at the end of each whose metadata are longer.
    ['as they were recorded', (blocks) => blocks, 30],
    ['one channel after the other', (blocks) => [0, 1].flatMap((c) => blocks.filter((_, i) => i % 2 === c)), 30],
    ['backwards', (blocks) => [...blocks].reverse(), 1002],
  ])('reads a line scan of small subblocks %s in few reads', async (_, change, maxReads) => {
    const source = new CountingSource(lineByLine(change));
    const { scenes } = openScenes(singlePart(source));
    expect(scenes[0]?.info.sizes).toEqual({ T: 1, Z: 1, Y: 1000, X: 100 });
    source.reset();
    const target = new Float32Target(1000, 100);
    await scenes[0]?.read({ channel: 1, t: 0, z: 0 }, target);
    expect([...target.data]).toEqual(
      Array.from({ length: 100_000 }, (_, i) => valueAt(Math.floor(i / 100), 1, i % 100)),
    );
    expect(source.reads).toBeLessThan(maxReads);
    expect(source.bytes).toBeLessThan(source.size);
  });

  it('names the small subblock that is corrupted', async () => {
    const bytes = lineByLine();
    const id = Buffer.from('ZISRAWSUBBLOCK');
    let at = 0;
    for (let i = 0; i <= 1501; i++) at = Buffer.from(bytes.buffer).indexOf(id, at + 1);
    bytes[at] = 0;
    const { scenes } = openScenes(singlePart(new CountingSource(bytes)));
    const read = (channel: number) => scenes[0]?.read({ channel, t: 0, z: 0 }, new Float32Target(1000, 100));
    await expect(read(1)).rejects.toThrow(`expected a subblock at offset ${grouped(at)};`);
    await read(0);
  });
});
