import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { lsmVector } from '../../writers/lsm-vector.js';

const folder = tempFolder();
const open = (bytes: Uint8Array, name = 'mini.lsm') => openFiles(folder, { [name]: bytes });

/** Offsets in the vector, as the format sheet lists them. */
const AT = { bits: 8 + 2 + 3 * 12 + 8, info: 340, scanInformation: 836 };

/** Value field of a tag of the first IFD. */
function field(bytes: Uint8Array, code: number): number {
  const view = new DataView(bytes.buffer);
  for (let at = 10; at < 10 + 12 * 12; at += 12) if (view.getUint16(at, true) === code) return at + 8;
  throw new Error(`no tag ${code}`);
}

function patched(patch: (view: DataView, bytes: Uint8Array) => void): Uint8Array {
  const bytes = lsmVector();
  patch(new DataView(bytes.buffer), bytes);
  return bytes;
}

async function expectVector(opened: OpenedAcquisition): Promise<void> {
  expect(opened.acquisition.info.format).toBe('lsm');
  expect(opened.acquisition.info.scenes).toHaveLength(1);
  const [scene] = opened.acquisition.info.scenes;
  expect(scene?.warnings).toEqual([]);
  expect(scene?.channels).toEqual([
    { name: 'Ch1', color: '#00FF00' },
    { name: 'Ch2', color: '#FF0000' },
  ]);
  expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
  expect(scene?.sampleType).toBe('uint16');
  expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
  expect(scene?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
  expect([scene?.date, scene?.time]).toEqual(['20240305', '12:00:00']);
  expect(scene?.reference).toBeNull();
  await expectPixels(opened);
  opened.close();
}

async function expectPixels(opened: OpenedAcquisition): Promise<void> {
  for (const channel of [0, 1]) {
    const expected = expectedPlane(6, 4, (y, x) => 1000 * (channel + 1) + 10 * y + x);
    expectSamePlane(await servedPlane(opened, { channel }), expected);
  }
}

describe('the LSM of the format sheet', () => {
  it('is written as the sheet describes', () => {
    const bytes = lsmVector();
    expect(bytes.length).toBe(1078);
    expect(crc32(bytes).toString(16)).toBe('ddecd65f');
    expect(field(bytes, 258)).toBe(AT.bits);
  });

  it('is read as the sheet lists', async () => expectVector(await open(lsmVector())));

  it('is recognized with the extension of a TIFF', async () => expectVector(await open(lsmVector(), 'mini.tif')));

  it('may have two values of BitsPerSample in the entry itself', async () => {
    await expectVector(await open(patched((view) => view.setUint32(AT.bits, 0x00100010, true))));
  });

  it('ignores a predictor of uncompressed samples', async () => {
    await expectVector(await open(patched((view) => view.setUint16(field(lsmVector(), 317), 2, true))));
  });

  it('has a measured period when the interval is missing', async () => {
    const opened = await open(patched((view) => view.setFloat64(AT.info + 112, 0, true)));
    const step = opened.acquisition.info.scenes[0]?.steps.Y;
    expect(step?.unit).toBe('seconds');
    expect(step?.step).toBeCloseTo(0.002, 13);
    opened.close();
  });

  it('has the interval as its period when time stamps are missing', async () => {
    await expectVector(await open(patched((view) => view.setUint32(AT.info + 132, 0, true))));
  });

  it('may have a thumbnail without NewSubfileType and with a byte count of 1', async () => {
    const bytes = patched((view) => {
      // Second IFD at 182; its first entry is tag 254. A tag of an unknown type is skipped.
      expect(view.getUint16(184, true)).toBe(254);
      view.setUint16(186, 99, true);
      for (let at = 184; at < 184 + 12 * view.getUint16(182, true); at += 12) {
        if (view.getUint16(at, true) === 279) view.setUint32(at + 8, 1, true);
      }
    });
    await expectVector(await open(bytes));
  });

  it('is read as frames when the scan type is 0', async () => {
    const bytes = patched((view) => {
      view.setUint16(AT.info + 88, 0, true);
      view.setInt32(AT.info + 12, 6, true);
      view.setInt32(AT.info + 24, 1, true);
      view.setFloat64(AT.info + 48, 5e-7, true);
    });
    const opened = await open(bytes);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene?.steps.Y).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(scene?.warnings).toEqual([]);
    await expectPixels(opened);
    opened.close();
  });

  it('is read with a structure of 120 bytes', async () => {
    const opened = await open(patched((view) => view.setInt32(AT.info + 4, 120, true)));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.channels).toEqual([
      { name: 'Ch1', color: '#00FF00' },
      { name: 'Ch2', color: '#FF0000' },
    ]);
    expect([scene?.date, scene?.time]).toEqual(['', '']);
    await expectPixels(opened);
    opened.close();
  });

  it('shows its pages, with a warning, when the magic number of the header is wrong', async () => {
    const opened = await open(patched((view) => view.setUint32(AT.info, 0x12345678, true)));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.warnings).toEqual([
      'The Zeiss header is corrupted, so dimensions, pixel sizes and channel names are unknown.',
    ]);
    expect(scene?.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    await expectPixels(opened);
    opened.close();
  });

  it('is refused without the Zeiss tag when it is called .lsm', async () => {
    const bytes = new Uint8Array(8192);
    bytes.set([0x49, 0x49, 42, 0, 0, 0x18, 0, 0]);
    bytes.set(lsmVector().subarray(8, 8 + 2 + 12 * 12), 0x1800);
    new DataView(bytes.buffer).setUint16(0x1800 + 2 + 11 * 12, 40_000, true);
    const opening = open(bytes);
    await expect(opening).rejects.toMatchObject({
      code: 'unsupported_format',
      message: /the Zeiss header \(tag 34412\) is missing/,
    });
  });
});
