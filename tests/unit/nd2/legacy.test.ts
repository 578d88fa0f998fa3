import { beforeAll, describe, expect, it } from 'vitest';
import { nd2Format } from '../../../packages/readers/src/formats/nd2/format.js';
import { openLegacy } from '../../../packages/readers/src/formats/nd2/legacy.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { planeOf } from '../../support/nd2.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';
import { type LegacySpec, writeLegacyNd2 } from '../../writers/nd2-legacy.js';

const ROWS = 32;
const COLUMNS = 48;
let encoders: Encoders;
beforeAll(async () => {
  encoders = await loadEncoders();
});

/** Image n is filled with 100·n + row. */
function image(n: number): Uint8Array {
  const values = Uint16Array.from({ length: ROWS * COLUMNS }, (_, i) => 100 * n + Math.floor(i / COLUMNS));
  return encoders.jpeg2000({ bytes: new Uint8Array(values.buffer), width: COLUMNS, rows: ROWS, samples: 1 });
}

const open = (spec: LegacySpec) => {
  const bytes = new Uint8Array(writeLegacyNd2(spec));
  return openLegacy(new MemorySource('old.nd2', bytes));
};
const series = (count: number, changes: Partial<LegacySpec> = {}): LegacySpec => ({
  images: Array.from({ length: count }, (_, n) => image(n)),
  frames: count,
  channels: ['FITC'],
  period: 250,
  ...changes,
});
const failed = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('a legacy ND2 file', () => {
  it('is recognized among JPEG 2000 files by its extension', () => {
    const head = new Uint8Array(writeLegacyNd2(series(1))).subarray(0, 4096);
    const probe = { kind: 'file' as const, head, entries: [], size: 9999 };
    expect(nd2Format.sniff({ ...probe, name: 'old.ND2' })).toBe('maybe');
    expect(nd2Format.sniff({ ...probe, name: 'photo.jp2' })).toBe(false);
  });

  it.each([12, 16] as const)('is read as a sequence of images, with map entries of %i bytes', async (entryBytes) => {
    const opened = await open(series(4, { dimensions: 'T(4)', entryBytes }));
    const [scene] = opened.info.scenes;
    expect(opened.info.format).toBe('nd2');
    expect(scene).toMatchObject({
      sampleType: 'uint16',
      channels: [{ name: 'FITC' }],
      sizes: { T: 4, Z: 1, Y: ROWS, X: COLUMNS },
      date: '20060101',
      time: '06:00:00',
    });
    expect(scene?.steps.T).toEqual({ step: 0.25, unit: 'seconds', origin: 'derived' });
    expect(scene?.steps.X).toEqual({ step: 0.46, unit: 'micrometer', origin: 'file' });
    const plane = await planeOf(opened, { t: 3 });
    expect([plane[0], plane.at(-1)]).toEqual([300, 331]);
    expect(scene?.warnings).toEqual([
      'The file does not contain a readable local time. Date and time are those of the first frame, in UTC.',
    ]);
  });

  it('stores the channels of a frame one after the other', async () => {
    const spec = series(12, { frames: 6, channels: ['DAPI', 'FITC'], dimensions: "T'(2) x Z(3) x λ(2)" });
    const opened = await open(spec);
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['DAPI', 'FITC']);
    expect(opened.info.scenes[0]?.sizes).toMatchObject({ T: 2, Z: 3 });
    expect(opened.info.scenes[0]?.steps.Z).toEqual({ step: 1.5, unit: 'micrometer', origin: 'file' });
    // Frame 1 · 3 + 2, second channel: image 11.
    expect((await planeOf(opened, { t: 1, z: 2, channel: 1 }))[0]).toBe(1100);
  });

  it('shows positions as scenes', async () => {
    const opened = await open(series(6, { dimensions: 'T(3) x XY(2)' }));
    expect(opened.info.scenes.map(({ name, sizes }) => [name, sizes.T])).toEqual([
      ['XY1', 3],
      ['XY2', 3],
    ]);
    expect((await planeOf(opened, { scene: 1, t: 2 }))[0]).toBe(500);
  });

  it('ignores a description that does not match the number of frames', async () => {
    const opened = await open(series(3, { dimensions: 'T(100)' }));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    expect(opened.info.scenes[0]?.warnings[0]).toBe(
      'The description says 100 frames, but the file has 3. All are shown as time points.',
    );
  });

  it('shows a color image as R, G and B', async () => {
    // Red 40, green 80, blue 120, each with the row / 8 on top.
    const bytes = Uint8Array.from({ length: 128 * 128 * 3 }, (_, i) => 40 * ((i % 3) + 1) + (Math.floor(i / 384) >> 3));
    const stream = encoders.jpeg2000({ bytes, width: 128, rows: 128, samples: 3 });
    const opened = await open({ images: [stream], frames: 1, channels: ['HE'] });
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
    expect(opened.info.scenes[0]?.sampleType).toBe('uint8');
    expect((await planeOf(opened, { channel: 2 }))[0]).toBe(120);
    expect((await planeOf(opened, { channel: 1 })).at(-1)).toBe(95);
  });

  it('without its map shows the images in file order', async () => {
    const opened = await open(series(2, { noMap: true }));
    expect(opened.info.scenes[0]?.sizes.T).toBe(2);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The box map at the end of the file is missing. Images are shown in file order: their channels, times and depths are assumed.',
    ]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(100);
  });

  it('that is not a plain sequence is refused', async () => {
    await expect(open({ ...series(5), frames: 4 })).rejects.toEqual(
      failed('unsupported_format', /legacy \(JPEG 2000\) ND2 file is not a plain sequence .* 5 images for 4 frames/),
    );
    await expect(open({ images: [], frames: 0, channels: [] })).rejects.toEqual(
      failed('unsupported_format', /not a plain sequence of images: it does not contain any images/),
    );
  });

  it('refuses corrupted images and shows the others', async () => {
    const spec = series(3);
    const second = Buffer.from(image(1));
    spec.images[1] = second.subarray(0, second.length - 60);
    const opened = await open(spec);
    await expect(planeOf(opened, { t: 1 })).rejects.toEqual(failed('decode_failed', /./));
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(200);
  });
});
