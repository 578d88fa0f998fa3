/** Saves a plane that the page does not hold: its samples come from the server in parts, in the type of the file. */
import { npyHeader } from '@acquisition-store/readers/model/samples/npy.js';
import type { PlaneRegion } from '../analysis/region.ts';
import type { Shape } from '../model/document.ts';
import type { FarPlane } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';
import { type SampleType, sampleType } from './sample-type.ts';

/** Converts samples to the type that is saved. */
type ToType = (samples: Samples) => Samples;

/** Samples per request. */
const PART = 1 << 24;

/** Returns a file that `numpy.load` reads. The browser may keep its parts on disk. */
export async function farNpy(
  far: FarPlane,
  region: PlaneRegion,
  toType: ToType,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let type: SampleType | null = null;
  for await (const samples of farParts(far, region, toType, signal, onProgress)) {
    type ??= sampleType(samples);
    parts.push(new Blob([samples as Samples & { buffer: ArrayBuffer }]));
  }
  return new Blob([npyHeader(type!.name, regionShape(region)), ...parts]);
}

/** Returns the samples of a region, which must be small enough for the page. */
export async function farSamples(
  far: FarPlane,
  region: PlaneRegion,
  toType: ToType,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Samples> {
  const [rows, columns] = regionShape(region);
  let all: Samples | null = null;
  let filled = 0;
  for await (const samples of farParts(far, region, toType, signal, onProgress)) {
    all ??= new (samples.constructor as new (length: number) => Samples)(rows * columns);
    all.set(samples, filled);
    filled += samples.length;
  }
  return all ?? new Float32Array(0);
}

async function* farParts(
  far: FarPlane,
  { rows: [first, end], columns }: PlaneRegion,
  toType: ToType,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): AsyncGenerator<Samples> {
  const step = Math.max(1, Math.floor(PART / (columns[1] - columns[0])));
  for (let row = first; row < end; row += step) {
    const next = Math.min(end, row + step);
    yield toType(await far.samples({ rows: [row, next], columns }, signal));
    onProgress((next - first) / (end - first));
  }
}

export function regionShape({ rows, columns }: PlaneRegion): Shape {
  return [rows[1] - rows[0], columns[1] - columns[0]];
}
