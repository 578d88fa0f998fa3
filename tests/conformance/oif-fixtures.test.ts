import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { ArrayFacts, readNative, sceneOf } from '../support/native.js';
import { frames, lineScan, referencePlane } from '../support/oif.js';
import { tempFolder } from '../support/temp.js';
import { type OifSpec, roiText, writeOib, writeOif } from '../writers/oif.js';
import { conformanceSuite } from './suite.js';

/** A long line scan: 30,000 lines of 38 pixels, 12-bit, with a 512×512 overview and a polyline on it. */
function longLineScan(): OifSpec {
  const [first] = lineScan().planes;
  if (!first) throw new Error('vector');
  return lineScan({
    name: 'long.oif',
    axes: {
      X: { maxSize: 38, start: 0, end: 10.796, unit: 'um' },
      T: { maxSize: 30_000, start: 0, end: 35_098.83, unit: 'ms' },
      C: { maxSize: 1, unit: 'Ch' },
    },
    channels: ['CHS1'],
    planes: [
      {
        ...first,
        rows: 30_000,
        columns: 38,
        value: (y, x) => (y * 7 + x * 113) % 4096,
        pixel: { width: 0.284, height: 1.17, heightUnit: 'ms' },
      },
    ],
    references: [{ ...referencePlane('C001-R001', 0), rows: 512, columns: 512, value: (y, x) => (y + 3 * x) % 4096 }],
    roi: roiText(4, [250, 248, 244], [236, 220, 213]),
  });
}

const specs: { name: string; spec: OifSpec }[] = [
  { name: 'line scan', spec: lineScan() },
  { name: 'frames', spec: frames() },
  { name: 'LZW frames', spec: frames({ planes: frames().planes.map((plane) => ({ ...plane, compression: 5 })) }) },
];

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'set-'));

conformanceSuite(
  'OIB',
  specs.map(({ name, spec }) => ({
    name,
    format: 'oib',
    refusesCuts: true,
    write: (at) => {
      const path = join(at, 'mini.oib');
      writeFileSync(path, writeOib(spec));
      return path;
    },
    scenes: [
      spec.scanMode === 'XT'
        ? { sizes: { T: 1, Z: 1, Y: 6, X: 4 }, channels: ['CHS1', 'CHS2'], sampleType: 'uint16' }
        : { sizes: { T: 2, Z: 3, Y: 3, X: 5 }, channels: ['CHS1', 'CHS2'], sampleType: 'uint16' },
    ],
  })),
  folder,
);

it('serves 30,000 lines with the overview and the line on it', async () => {
  const opened = await openAcquisition(writeOif(folder(), longLineScan()));
  const scene = sceneOf(opened, 0);
  expect(scene.sizes.Y).toBe(30_000);
  expect(scene.steps.Y.step).toBeCloseTo(0.00117, 12);
  expect(scene.reference?.lineRoi).toEqual([250, 236, 244, 213]);
  const lines = await readNative(opened, 0, { channel: 0 });
  expect(lines[29_999 * 38 + 37]).toBe((29_999 * 7 + 37 * 113) % 4096);
  opened.close();
});

/** `scripts/check-oif.py` compares these with an independent reader. */
it.runIf(process.env.ACQSTORE_FIXTURES_DIR)('writes the fixtures for an independent reader', async () => {
  const out = join(process.env.ACQSTORE_FIXTURES_DIR ?? '', 'oif');
  const facts: Record<string, { shape: number[]; sha256: string }> = {};
  for (const { name, spec } of [...specs, { name: 'long line scan', spec: longLineScan() }]) {
    const at = join(out, name.replaceAll(' ', '-'));
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'set.oib'), writeOib(spec));
    for (const path of [writeOif(at, spec), join(at, 'set.oib')]) {
      const opened = await openAcquisition(path);
      const scene = sceneOf(opened, 0);
      const all = new ArrayFacts();
      for (let channel = 0; channel < scene.channels.length; channel++) {
        for (let t = 0; t < scene.sizes.T; t++) {
          for (let z = 0; z < scene.sizes.Z; z++) all.add(await readNative(opened, 0, { channel, t, z }), 'uint16');
        }
      }
      const { T, Z, Y, X } = scene.sizes;
      facts[path.slice(out.length + 1)] = { shape: [scene.channels.length, T, Z, Y, X], sha256: all.digest() };
      opened.close();
    }
  }
  writeFileSync(join(out, 'facts.json'), JSON.stringify(facts, null, 1));
});
