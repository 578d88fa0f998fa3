import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { writeTemp } from './temp.js';

/** Writes files into a fresh folder below `folder` and opens the named one. */
export async function openFiles(
  folder: string,
  files: Record<string, Uint8Array>,
  open = Object.keys(files)[0] as string,
): Promise<OpenedAcquisition> {
  const own = mkdtempSync(join(folder, 'set-'));
  for (const [name, bytes] of Object.entries(files)) writeTemp(own, name, bytes);
  return openAcquisition(join(own, open));
}

/** A plane as it is served. */
export async function servedPlane(
  opened: OpenedAcquisition,
  address: { scene?: number; channel?: number; t?: number; z?: number } = {},
): Promise<Float32Array> {
  const { scene = 0, channel = 0, t = 0, z = 0 } = address;
  const sizes = opened.acquisition.info.scenes[scene]?.sizes;
  const target = new Float32Target(sizes?.Y ?? 0, sizes?.X ?? 0);
  await opened.acquisition.readPlane({ scene, channel, t, z }, target);
  return target.data;
}

/** A plane of the reference image as it is served. */
export async function servedReference(opened: OpenedAcquisition, channel = 0, scene = 0): Promise<Float32Array> {
  const sizes = opened.acquisition.info.scenes[scene]?.reference?.sizes;
  const target = new Float32Target(sizes?.Y ?? 0, sizes?.X ?? 0);
  await opened.acquisition.readReference?.(scene, channel, target);
  return target.data;
}

/** What a plane should hold. */
export function expectedPlane(rows: number, columns: number, sample: (y: number, x: number) => number): Float32Array {
  return Float32Array.from({ length: rows * columns }, (_, i) => sample(Math.floor(i / columns), i % columns));
}

/** Asserts that two planes are one, sample by sample; names the first place where they are not. */
export function expectSamePlane(actual: Float32Array, expected: Float32Array): void {
  expect(actual.length).toBe(expected.length);
  const at = actual.findIndex((value, i) => !Object.is(value, expected[i]));
  if (at >= 0) expect.fail(`sample ${at} is ${actual[at]}, not ${expected[at]}`);
}
