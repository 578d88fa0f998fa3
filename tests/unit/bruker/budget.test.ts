import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { lineScan, sample, series } from '../../support/bruker.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder } from '../../support/temp.js';
import { brukerXml, planeTiff, writeBruker } from '../../writers/bruker.js';

const root = tempFolder();
const FRAMES = 2_000;

it('opens the XML and one TIFF of 2,000 frames, and another TIFF for each plane', async () => {
  const at = mkdtempSync(join(root, 'long-'));
  const spec = series('TSeries Timed Element', FRAMES, 1, [1]);
  // Every second plane is a hole: nothing but the listing is needed to know that.
  for (const plane of spec.planes.filter((_, i) => i % 2 === 0)) {
    writeFileSync(join(at, plane.file), planeTiff({ ...plane, value: () => 7 }));
  }
  writeFileSync(join(at, `${spec.name}.xml`), brukerXml(spec));
  for (const path of [join(at, `${spec.name}.xml`), at]) {
    const opened = await openAcquisition(path);
    expect(sceneOf(opened, 0).sizes).toEqual({ T: FRAMES, Z: 1, Y: 8, X: 8 });
    expect(opened.fingerprints()).toHaveLength(2);
    expect(sceneOf(opened, 0).warnings).toEqual([expect.stringContaining('and 995 more files')]);
    expect((await readNative(opened, 0, { channel: 0, t: FRAMES - 2 }))[0]).toBe(7);
    const hole = readNative(opened, 0, { channel: 0, t: FRAMES - 1 });
    await expect(hole).rejects.toMatchObject({ code: 'companion_missing' });
    expect(opened.fingerprints()).toHaveLength(3);
    opened.close();
  }
});

it('opens the files of the first 256 of 300 cycles, and checks the others when they are read', async () => {
  const at = mkdtempSync(join(root, 'cycles-'));
  const spec = lineScan(300);
  const opened = await openAcquisition(writeBruker(at, spec));
  expect(opened.acquisition.info.scenes).toHaveLength(300);
  expect(opened.fingerprints()).toHaveLength(1 + 2 * 256);
  expect(sceneOf(opened, 299).reference?.sizes).toEqual({ Y: 8, X: 8 });
  expect(opened.acquisition.info.scenes.flatMap(({ warnings }) => warnings)).toEqual([]);
  expect((await readNative(opened, 299, { channel: 0 }))[1]).toBe(sample(300, 1, 1, 0, 1) % 65_536);
  opened.close();
});
