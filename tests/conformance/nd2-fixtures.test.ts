import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { ArrayFacts, readNative } from '../support/native.js';
import { countingFrames, everything, lineScan, timeSeries } from '../support/nd2.js';
import { tempFolder } from '../support/temp.js';
import { depthLoop, experiment, type Nd2Spec, picture, timeLoop, writeNd2 } from '../writers/nd2.js';
import { type ConformanceCase, conformanceSuite } from './suite.js';

/** 3,000 lines for the independent reader; fewer for the suite, which truncates and reads the file many times. */
const LINES = process.env['ACQSTORE_FIXTURES_DIR'] ? 3000 : 40;

/** Lines of 37 pixels, with a frame of one row for each. */
function linePerFrame(lines: number): Nd2Spec {
  return timeSeries({
    width: 37,
    height: 1,
    components: 1,
    frames: countingFrames(lines, 37, 1).map((frame) => ({
      ...frame,
      time: 1.5 * frame.number,
      value: (_, x) => (frame.number * 7 + x * 113) % 4096,
    })),
    picture: picture({ channels: [{ name: 'Fluo-4' }] }),
    experiment: experiment(timeLoop(lines, 1.5)),
    times: Array.from({ length: lines }, (_, i) => 1.5 * i),
  });
}

const color = timeSeries({
  components: 3,
  bits: 8,
  frames: countingFrames(1, 5, 3).map((frame) => ({ ...frame, value: (y, x, c) => y * 40 + x * 8 + c })),
  picture: picture({ channels: [{ name: 'Brightfield', components: 3 }] }),
});
const { experiment: _, ...rgb } = color;

const floats = timeSeries({
  bits: 32,
  pixelType: 2,
  frames: countingFrames(6, 5, 2).map((frame) => ({
    ...frame,
    value: (y, x, c) => frame.number + y / 8 + x / 64 + c / 128,
  })),
  experiment: experiment(timeLoop(2, 1500), depthLoop(3, 0.4)),
});

const scene = (channels: string[], sampleType: string, T: number, Z: number, Y: number, X: number) => ({
  sizes: { T, Z, Y, X },
  channels,
  sampleType,
});

const specs: { name: string; spec: Nd2Spec; scenes: ConformanceCase['scenes'] }[] = [
  { name: 'time series', spec: timeSeries(), scenes: [scene(['GFP', 'RFP'], 'uint16', 3, 1, 4, 5)] },
  {
    name: 'time series, zlib',
    spec: timeSeries({ compression: 0 }),
    scenes: [scene(['GFP', 'RFP'], 'uint16', 3, 1, 4, 5)],
  },
  {
    name: 'attributes before the frames',
    spec: timeSeries({ attributesFirst: true }),
    scenes: [scene(['GFP', 'RFP'], 'uint16', 3, 1, 4, 5)],
  },
  { name: 'version 2', spec: timeSeries({ version: 2 }), scenes: [scene(['GFP', 'RFP'], 'uint16', 3, 1, 4, 5)] },
  { name: 'line scan, padded rows', spec: lineScan(), scenes: [scene(['GFP'], 'uint16', 1, 1, 4, 5)] },
  { name: 'a frame per line', spec: linePerFrame(LINES), scenes: [scene(['Fluo-4'], 'uint16', 1, 1, LINES, 37)] },
  {
    name: 'positions, times and depths',
    spec: everything(),
    scenes: Array.from({ length: 3 }, () => scene(['GFP', 'RFP'], 'uint16', 2, 2, 2, 3)),
  },
  { name: 'colour', spec: rgb, scenes: [scene(['R', 'G', 'B'], 'uint8', 1, 1, 4, 5)] },
  { name: 'floats', spec: floats, scenes: [scene(['GFP', 'RFP'], 'float32', 2, 3, 4, 5)] },
];

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'nd2-'));

conformanceSuite(
  'ND2',
  specs.map(({ name, spec, scenes }) => ({
    name,
    format: 'nd2',
    scenes,
    write: (at) => {
      const path = join(at, 'test.nd2');
      writeFileSync(path, writeNd2(spec));
      return path;
    },
  })),
  folder,
);

/** `scripts/check-nd2.py` compares these with an independent reader. */
it.runIf(process.env['ACQSTORE_FIXTURES_DIR'])('writes the fixtures for an independent reader', async () => {
  const out = join(process.env['ACQSTORE_FIXTURES_DIR'] ?? '', 'nd2');
  mkdirSync(out, { recursive: true });
  const facts: Record<string, { shape: number[]; sha256: string }[]> = {};
  for (const { name, spec } of specs) {
    const file = `${name.replaceAll(/[ ,]+/g, '-')}.nd2`;
    writeFileSync(join(out, file), writeNd2(spec));
    const opened = await openAcquisition(join(out, file));
    facts[file] = [];
    for (const [index, { channels, sizes, sampleType }] of opened.acquisition.info.scenes.entries()) {
      const all = new ArrayFacts();
      for (let t = 0; t < sizes.T; t++) {
        for (let z = 0; z < sizes.Z; z++) {
          for (let channel = 0; channel < channels.length; channel++) {
            all.add(await readNative(opened, index, { channel, t, z }), sampleType);
          }
        }
      }
      facts[file].push({ shape: [sizes.T, sizes.Z, channels.length, sizes.Y, sizes.X], sha256: all.digest() });
    }
    opened.close();
  }
  writeFileSync(join(out, 'facts.json'), JSON.stringify(facts, null, 1));
});
