import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/temp.js';
import { firstSample, summary, withFixture } from '../../support/tiff-cases.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();

function header(fields: {
  version: number;
  scale: number;
  unit: number;
  slices: number;
  spacing: number;
  interval: number;
  aspect: number;
}) {
  const bytes = new Uint8Array(504);
  const view = new DataView(bytes.buffer);
  view.setInt16(12, fields.version);
  view.setFloat64(160, fields.scale);
  view.setInt16(172, fields.unit);
  view.setInt16(260, fields.slices);
  view.setFloat32(262, fields.spacing);
  view.setFloat32(268, fields.interval);
  view.setFloat32(272, fields.aspect);
  return bytes;
}

const FIELDS = { version: 162, scale: 4, unit: 6, slices: 3, spacing: 1.5, interval: 0.5, aspect: 2 };
const page = (index: number) => Uint8Array.from({ length: 6 }, (_, i) => index * 10 + i);

function open<T>(fields: Partial<typeof FIELDS>, use: Parameters<typeof withFixture<T>>[2], planes = 3) {
  const tags = [{ code: 43314, type: 1, bytes: header({ ...FIELDS, ...fields }) }];
  const extraPlanes = Array.from({ length: planes - 1 }, (_, i) => page(i + 1));
  const bytes = writeTiff({
    littleEndian: false,
    pages: [{ width: 3, height: 2, samples: page(0), tags, extraPlanes }],
  });
  return withFixture(root, { 'a.tif': bytes }, use);
}

describe('NIH Image', () => {
  it('has slices behind one IFD and a scale of its own', async () => {
    await open({}, async (opened) => {
      expect(summary(opened.acquisition.info.scenes[0])).toEqual({
        sizes: { T: 1, Z: 3, Y: 2, X: 3 },
        channels: ['CH1'],
        steps: {
          X: [0.25, 'micrometer', 'file'],
          Y: [0.125, 'micrometer', 'file'],
          Z: [1.5, 'micrometer', 'file'],
          T: [0.5, 'seconds', 'file'],
        },
        warnings: [],
      });
      expect(await firstSample(opened, { z: 2 })).toBe(20);
    });
  });

  it('counts units from 0 up to version 1.53', async () => {
    await open({ version: 153, unit: 0 }, async ({ acquisition }) => {
      expect(summary(acquisition.info.scenes[0]).steps['X']).toEqual([0.00025, 'micrometer', 'file']);
    });
  });

  it('is uncalibrated without a scale or a unit', async () => {
    for (const fields of [{ scale: 0 }, { unit: 14 }]) {
      await open(fields, async ({ acquisition }) => {
        expect(summary(acquisition.info.scenes[0]).steps['X']).toEqual([1, 'Pixels', 'default']);
      });
    }
  });

  it('shows the slices that the file holds', async () => {
    await open({ slices: 30_000 }, async ({ acquisition }) => {
      const found = summary(acquisition.info.scenes[0]);
      expect(found.sizes.Z).toBe(3);
      expect(found.warnings).toEqual(['NIH Image says 30,000 slices, but the file has 3.']);
    });
  });
});
