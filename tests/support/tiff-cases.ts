import { mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reader } from '../../packages/readers/src/formats/tiff/index.js';
import type { Acquisition, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { folderOnDisk } from '../../packages/server/src/platform-node/files.js';
import type { PageSpec, TagSpec } from '../writers/tiff.js';
import { CountingSource } from './counting-source.js';
import { readNative } from './native.js';
import { writeTemp } from './temp.js';

/** A 4 × 3 page of 16-bit values that count up from 12 × `index`. */
export function countingPage(index: number, tags: TagSpec[] = []): PageSpec {
  return { width: 4, height: 3, samples: countingSamples(index), tags };
}

export function countingSamples(index: number): Uint16Array {
  return Uint16Array.from({ length: 12 }, (_, i) => index * 12 + i);
}

export const description = (text: string): TagSpec => ({ code: 270, type: 2, text });

/** What tests compare of a scene. */
export interface Summary {
  sizes: SceneInfo['sizes'];
  channels: string[];
  steps: Record<string, [number, string, string]>;
  warnings: string[];
}

/** The scenes of a fixture and the first sample of any plane, then everything closed. */
export async function withFixture<T>(
  root: string,
  files: Record<string, Uint8Array | string>,
  use: (opened: OpenedAcquisition, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(root, 'case-'));
  const [first] = Object.entries(files).map(([name, bytes]) => writeTemp(folder, name, bytes));
  const opened = await openAcquisition(first as string);
  try {
    return await use(opened, folder);
  } finally {
    opened.close();
  }
}

export function summary(scene: SceneInfo | undefined): Summary {
  if (!scene) throw new Error('no scene');
  const steps = Object.entries(scene.steps).map(([axis, { step, unit, origin }]) => [axis, [step, unit, origin]]);
  return {
    sizes: scene.sizes,
    channels: scene.channels.map(({ name }) => name),
    steps: Object.fromEntries(steps) as Summary['steps'],
    warnings: scene.warnings,
  };
}

/** First sample of a plane: tells which page it came from. */
export async function firstSample(
  opened: OpenedAcquisition,
  address: { scene?: number; channel?: number; t?: number; z?: number } = {},
): Promise<number> {
  const { scene = 0, channel = 0, t = 0, z = 0 } = address;
  return Number((await readNative(opened, scene, { channel, t, z }))[0]);
}

/** Opens bytes as TIFF over a source that counts what is read. */
export async function openCounted(bytes: Uint8Array, name = 'memory.tif') {
  const source = new CountingSource(bytes);
  const path = join('/nowhere', name);
  const probe = { name, kind: 'file' as const, head: bytes.subarray(0, 4096), entries: [], size: bytes.length };
  const acquisition: Acquisition = await reader.open({ probe, source, folder: folderOnDisk(dirname(path)) });
  return { acquisition, source };
}
