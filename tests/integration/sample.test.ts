import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { REPOSITORY, SAMPLE } from '../support/cli.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();

async function read(path: string): Promise<{ scene: SceneInfo; planes: Float32Array[] }> {
  const opened = await openAcquisition(path);
  const scene = opened.acquisition.info.scenes[0] as SceneInfo;
  const planes: Float32Array[] = [];
  for (let channel = 0; channel < scene.channels.length; channel++) {
    const target = new Float32Target(scene.sizes.Y, scene.sizes.X);
    await opened.acquisition.readPlane({ scene: 0, channel, t: 0, z: 0 }, target);
    planes.push(target.data);
  }
  opened.close();
  return { scene, planes };
}

it('the sample is small, and what its script makes', async () => {
  expect(statSync(SAMPLE).size).toBeLessThanOrEqual(1_000_000);
  const made = join(folder, 'made.ome.tif');
  execFileSync(process.execPath, [join(REPOSITORY, 'scripts', 'make-sample.mjs'), made]);
  const [shipped, again] = [await read(SAMPLE), await read(made)];
  // Packed bytes differ between versions of zlib; samples do not.
  expect(again.scene).toEqual(shipped.scene);
  for (const [i, plane] of shipped.planes.entries()) {
    expect(Buffer.compare(Buffer.from(plane.buffer), Buffer.from((again.planes[i] as Float32Array).buffer))).toBe(0);
  }
});

it('the sample is a calibrated line scan of two channels with moving cells', async () => {
  const { scene, planes } = await read(SAMPLE);
  expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 4000, X: 96 });
  expect(scene.steps.Y).toEqual({ step: 0.00117, unit: 'seconds', origin: 'file' });
  expect(scene.steps.X).toEqual({ step: 0.284, unit: 'micrometer', origin: 'file' });
  expect(scene.channels.map(({ name }) => name)).toEqual(['Calcium', 'Vessel']);
  expect([scene.date, scene.time, scene.warnings]).toEqual(['20260115', '10:30:00', []]);
  // Sums that tifffile 2026.3.3 gives.
  expect(planes.map((plane) => plane.reduce((sum, value) => sum + value, 0))).toEqual([5_265_716, 17_807_085]);
  // Cells travel 1.2 pixels a line on average: 30 pixels further on, the vessel shows the same about 25 lines later.
  const vessel = planes[1] as Float32Array;
  const best = argmax(Array.from({ length: 60 }, (_, delay) => correlation(vessel, 30, 60, delay)));
  expect(best).toBeGreaterThanOrEqual(19);
  expect(best).toBeLessThanOrEqual(33);
});

/** Mean product of two pixels over time, the second `delay` lines later, both without their means. */
function correlation(plane: Float32Array, from: number, to: number, delay: number): number {
  const lines = 3900;
  const at = (line: number, x: number) => plane[line * 96 + x] as number;
  const mean = (x: number, shift: number) => {
    let sum = 0;
    for (let line = 0; line < lines; line++) sum += at(line + shift, x);
    return sum / lines;
  };
  const [a, b] = [mean(from, 0), mean(to, delay)];
  let sum = 0;
  for (let line = 0; line < lines; line++) sum += (at(line, from) - a) * (at(line + delay, to) - b);
  return sum / lines;
}

function argmax(values: number[]): number {
  return values.indexOf(Math.max(...values));
}
