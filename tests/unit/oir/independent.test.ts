import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { framesOf, type OirSpec, planeBytes, writeOir } from '../../writers/oir.js';
import * as kinds from '../../writers/oir-kinds.js';

const folder = tempFolder();
const DTYPES = { 1: 'uint8', 2: 'uint16', 4: 'float32' };

interface ArrayFacts {
  shape: number[];
  dtype: string;
  sha256: string;
}

/** Time, wavelength, depth, channel, line, pixel; axes of length 1 are left out. */
function arrayFacts(spec: OirSpec): ArrayFacts {
  const { width, height, depth, channels, rows = height } = spec;
  const hash = createHash('sha256');
  const frames = framesOf(spec).sort((a, b) => a.t - b.t || a.lambda - b.lambda || a.z - b.z);
  for (const at of frames) {
    for (const c of channels.keys()) hash.update(planeBytes(depth, rows, width, (y, x) => spec.sample(c, at, y, x)));
  }
  const leading = [spec.t ?? 0, spec.lambda ?? 0, spec.z ?? 0, channels.length].filter((size) => size > 1);
  return { shape: [...leading, rows, width], dtype: DTYPES[depth], sha256: hash.digest('hex') };
}

function referenceFacts({ reference, channels, depth }: OirSpec): ArrayFacts | null {
  if (!reference) return null;
  const { width, height, sample } = reference;
  const hash = createHash('sha256');
  for (const c of channels.keys()) hash.update(planeBytes(depth, height, width, (y, x) => sample(c, y, x)));
  const leading = channels.length > 1 ? [channels.length] : [];
  return { shape: [...leading, height, width], dtype: DTYPES[depth], sha256: hash.digest('hex') };
}

const TWO_CHANNELS = kinds.timeDepthSeries().channels;
const CASES: [string, OirSpec, number[] | null][] = [
  ['kymograph', kinds.kymograph(), [250, 236, 244, 214]],
  ['wide-kymograph', kinds.wideKymograph(), [369, 920, 324, 977]],
  ['two-channel-kymograph', kinds.lineScan(10_000, 64, 128, { channels: TWO_CHANNELS }), [250, 236, 244, 214]],
  ['t5-z8-c2', kinds.timeDepthSeries(512), null],
  ['c3', kinds.stillImage(), null],
  ['z35', { ...kinds.timeDepthSeries(512), t: 0, z: 35, channels: TWO_CHANNELS.slice(0, 1) }, null],
  ['t50', kinds.timeSeries(50), null],
  ['lambda', kinds.lambdaScan(), null],
  ['float', { ...kinds.stillImage(64), depth: 4, sample: (c, _, y, x) => c + y / 8 - x / 4 }, null],
];

it('writes files that an independent reader reads as they were meant', () => {
  if (spawnSync('python3', ['-c', 'import oirfile']).status !== 0) {
    console.warn('SKIPPED: the Python package oirfile is not installed, the OIR writer was not checked against it');
    return;
  }
  const expected = CASES.map(([name, spec, lineRoi]) => {
    writeTemp(folder, `${name}.oir`, writeOir(spec));
    return { file: `${name}.oir`, ...arrayFacts(spec), reference: referenceFacts(spec), lineRoi };
  });
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(expected));
  const script = resolve(import.meta.dirname, '../../../scripts/check-oir.py');
  const run = spawnSync('python3', [script, folder], { encoding: 'utf8' });
  expect(run.stdout.split('\n').at(-2)).toMatch(/: 9 of 9 files equal$/);
  expect(run.status).toBe(0);
});
