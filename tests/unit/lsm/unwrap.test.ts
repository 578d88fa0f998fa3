import { describe, expect, it } from 'vitest';
import { openLsm } from '../../../packages/readers/src/formats/lsm/index.js';
import { unwrapOffsets, writingOrder } from '../../../packages/readers/src/formats/lsm/unwrap.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openTiff } from '../../../packages/readers/src/tiff/parse.js';
import { CountingSource } from '../../support/counting-source.js';
import { type LargeLsm, largeLsm } from '../../writers/lsm-large.js';

const GB = 2 ** 30;

function open(spec: LargeLsm) {
  const source = new CountingSource(largeLsm(spec));
  return { source, acquisition: openLsm(openTiff(source)) };
}

async function firstSample(
  acquisition: ReturnType<typeof open>['acquisition'],
  at: { scene?: number; channel?: number; t?: number; z?: number },
): Promise<number> {
  const sizes = acquisition.info.scenes[0]?.sizes;
  const target = new Float32Target(sizes?.Y ?? 0, sizes?.X ?? 0);
  await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0, ...at }, target);
  expect(target.data.every((value) => value === target.data[0])).toBe(true);
  return target.data[0]!;
}

describe('LSM offsets modulo 2³²', () => {
  it('increase by 4 GB at each step back', () => {
    expect([...unwrapOffsets([100, 4e9, 200, 4e9])]).toEqual([100, 4_000_000_000, 4_294_967_496, 8_294_967_296]);
  });

  it('stay 0 for strips that were never written', () => {
    expect([...unwrapOffsets([100, 0, 300, 0, 200])]).toEqual([100, 0, 300, 0, 4_294_967_496]);
  });

  it('are written time first, over all positions', () => {
    // Pages: position 0 time 0 depths 0–1, time 1 …; two positions, two times, two depths.
    expect([...writingOrder(2, 2, 2)]).toEqual([0, 1, 4, 5, 2, 3, 6, 7]);
  });
});

/** 64 × 64 pixels of 16 bits in two channels; every strip is filled with one number of its own. */
const base = { width: 64, height: 64, channels: 2, scenes: 1, T: 1, Z: 1, scanType: 6 };

describe('LSM files beyond 4 GB', () => {
  it.each([
    ['image first', false],
    ['thumbnail first', true],
  ])('have the right planes of a series of stacks of 11 GB, %s', async (_, thumbnailFirst) => {
    const { source, acquisition } = open({ ...base, T: 4, Z: 3, stride: 0.5 * GB - 4096, thumbnailFirst });
    expect(source.size).toBeGreaterThan(11 * GB);
    expect(acquisition.info.scenes[0]?.warnings).toEqual([]);
    expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 4, Z: 3, Y: 64, X: 64 });
    for (let image = 0; image < 12; image++) {
      for (const channel of [0, 1]) {
        const at = { t: Math.floor(image / 3), z: image % 3, channel };
        expect(await firstSample(acquisition, at)).toBe(1 + 2 * image + channel);
      }
    }
  });

  it('have the right planes of positions that were written time first', async () => {
    const spec = { ...base, scenes: 3, T: 4, Z: 2, scanType: 6, stride: 322_122_547 };
    const { source, acquisition } = open(spec);
    expect(source.size).toBeGreaterThan(14 * GB);
    expect(acquisition.info.scenes).toHaveLength(3);
    for (let image = 0; image < 24; image++) {
      const at = { scene: Math.floor(image / 8), t: Math.floor(image / 2) % 4, z: image % 2 };
      expect(await firstSample(acquisition, at)).toBe(1 + 2 * image);
      expect(await firstSample(acquisition, { ...at, channel: 1 })).toBe(2 + 2 * image);
    }
  });

  it('have the right planes of a line scan with its second channel beyond 4 GB', async () => {
    const { acquisition } = open({ ...base, height: 100, channels: 3, scanType: 2, stride: 3 * GB });
    expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 100, X: 64 });
    for (const channel of [0, 1, 2]) expect(await firstSample(acquisition, { channel })).toBe(1 + channel);
  });

  it('are refused when their strips would overlap', async () => {
    // Every stored offset is the same: no order explains them.
    const { acquisition } = open({ ...base, T: 4, Z: 3, stride: 0.5 * GB, shift: () => 4096 });
    await expect(firstSample(acquisition, { t: 1 })).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/larger than 4 GB, and the order in which its images were written is unknown/),
    });
  });

  it.each([
    ['above', 5],
    ['below', 3],
  ])('refuse images after the end of a copy truncated %s 4 GB', async (_, gigabytes) => {
    // Ten images of half a gigabyte; the last two are stored at offsets modulo 2³², which such a copy has, too.
    const side = 16_384;
    const spec = { ...base, width: side, height: side, channels: 1, T: 10, scanType: 3, stride: side * side * 2 };
    const { acquisition } = open({ ...spec, filled: () => false, end: gigabytes * GB });
    expect(acquisition.info.scenes[0]?.warnings).toEqual([
      expect.stringMatching(/^The file is truncated at byte [\d,]+, but its images take /),
    ]);
    const target = { rows: side, columns: side, put: () => expect.fail('invented pixels') };
    await expect(acquisition.readPlane({ scene: 0, channel: 0, t: 9, z: 0 }, target)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/page 19 /),
    });
  });
});

describe('reading LSM', () => {
  it('opens 2 GB of frames from the chain of pages, then reads one plane', async () => {
    const wanted = 2 * 1234 + 1;
    const filled = (strip: number) => strip === wanted;
    const spec = { ...base, width: 512, height: 512, T: 2000, scanType: 3, stride: 512 * 512 * 2, filled };
    const { source, acquisition } = open(spec);
    expect(source.size).toBeGreaterThan(2e9);
    expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 2000, Z: 1, Y: 512, X: 512 });
    // 4,000 IFDs of some 150 bytes with their arrays, side by side: they are walked through once.
    expect(source.bytes).toBeLessThan(4000 * 250 + 600_000);
    source.reset();
    expect(await firstSample(acquisition, { t: 1234, channel: 1 })).toBe(2470);
    expect(source.bytes).toBeLessThan(512 * 512 * 2 + 4096);
  });

  it('opens a line scan from its tags and time stamps, without pixels', async () => {
    const spec = { ...base, width: 512, height: 30_000, scanType: 2, stride: 512 * 30_000 * 2 };
    const { source, acquisition } = open(spec);
    expect(acquisition.info.scenes[0]?.sizes.Y).toBe(30_000);
    expect(source.bytes).toBeLessThan(16_384);
    source.reset();
    expect(await firstSample(acquisition, { channel: 1 })).toBe(2);
    expect(source.bytes).toBeLessThan(512 * 30_000 * 2 + 4096);
  });
});
