import { describe, expect, it } from 'vitest';
import { AcqError } from '../../src/errors.js';
import { openParts } from '../../src/formats/czi/parts.js';
import { openReference } from '../../src/formats/czi/reference.js';
import { type OpenedScene, openScenes } from '../../src/formats/czi/scenes.js';
import { MemorySource } from '../../src/io/byte-source.js';
import { CoveringTarget } from '../support/covering-target.js';
import { dims, PIXEL_TYPES, writeCzi, writeCziSet } from '../writers/czi.js';
import { colour, lineScan, mosaic, stack } from '../writers/czi-kinds.js';
import { miniVector, tinyVector } from '../writers/czi-vectors.js';
import { JPEG_XR, JPEG_XR_HEIGHT, JPEG_XR_WIDTH } from '../writers/jpegxr-vectors.js';
import { hostileCases, mutate } from './mutate.js';

/** Planes of a damaged file that are tried; a damaged count may announce a million. */
const MAX_TRIES = 4;
const MAX_PIXELS = 2 ** 18;

const TILES = [0, 1, 2, 3].map((m) => ({ m, x: (m % 2) * 5, y: Math.floor(m / 2) * 4, s: m === 3 ? 1 : 0 }));
const [MAIN, PART] = writeCziSet({
  ...stack(1, 2),
  blocks: stack(1, 2).blocks.map((block, i) => ({ ...block, part: i >> 1 })),
}) as [Uint8Array, Uint8Array];
const PICTURE = {
  dims: dims({ X: JPEG_XR_WIDTH, Y: JPEG_XR_HEIGHT }),
  pixelType: PIXEL_TYPES.Bgr24,
  compression: 4,
  data: JPEG_XR.bgr24,
};

/** Small files of every kind; siblings are whole. */
const SEEDS: { name: string; bytes: Uint8Array; siblings?: Record<string, Uint8Array> }[] = [
  { name: 'tiny.czi', bytes: tinyVector() },
  { name: 'mini.czi', bytes: miniVector() },
  {
    name: 'line.czi',
    bytes: writeCzi({ ...lineScan(12, 6, 2, 4, { coded: [1], period: 0.002 }), directoryFirst: true }),
  },
  { name: 'unfinished.czi', bytes: writeCzi({ ...lineScan(12, 6, 2, 4), finished: false }) },
  { name: 'stack.czi', bytes: writeCzi({ ...stack(2, 2), deleted: true }) },
  { name: 'tiles.czi', bytes: writeCzi(mosaic(TILES)) },
  { name: 'colour.czi', bytes: writeCzi(colour('Bgra32')) },
  { name: 'picture.czi', bytes: writeCzi({ blocks: [PICTURE] }) },
  {
    name: 'old.czi',
    bytes: writeCzi({ blocks: stack(1, 2).blocks.map((one) => ({ ...one, schema: 'DE' as const })) }),
  },
  { name: 'set.czi', bytes: MAIN, siblings: { 'set (1).czi': PART } },
  { name: 'set (1).czi', bytes: PART, siblings: { 'set.czi': MAIN } },
];

/** Opens and reads everything in reach; throws on anything that is not an honest error. */
async function attempt(name: string, files: Record<string, Uint8Array>): Promise<'refused' | 'opened'> {
  try {
    const siblings = {
      path: '/nowhere',
      openAnyCase: (other: string) => (files[other] ? new MemorySource(other, files[other]) : undefined),
    };
    const parts = openParts(name, new MemorySource(name, files[name] as Uint8Array), siblings);
    const container = openScenes(name, parts);
    for (const scene of container.scenes.slice(0, 4)) await readAll(scene);
    const reference = container.scenes.some(({ lines }) => lines) && (await openReference(container, parts, []));
    if (reference) await readWhole(reference.info.sizes, (target) => reference.read(0, { t: 0, z: 0 }, target));
  } catch (error) {
    expectHonest(error);
    return 'refused';
  }
  return 'opened';
}

function expectHonest(error: unknown): void {
  if (!(error instanceof AcqError)) throw error;
  if (!['decode_failed', 'companion_missing', 'unsupported_format'].includes(error.code)) throw error;
}

async function readAll({ info, read }: OpenedScene): Promise<void> {
  const { sizes, channels, steps } = info;
  for (const size of Object.values(sizes)) if (!Number.isSafeInteger(size) || size < 1) throw new Error(`size ${size}`);
  for (const { step } of Object.values(steps)) if (!Number.isFinite(step) || step <= 0) throw new Error(`step ${step}`);
  if (new Set(channels.map(({ name }) => name)).size !== channels.length) throw new Error('channel names repeat');
  const planes = Math.min(MAX_TRIES, sizes.T * sizes.Z * channels.length);
  for (let i = 0; i < planes; i++) {
    const channel = i % channels.length;
    const t = Math.floor(i / channels.length) % sizes.T;
    const z = Math.floor(i / channels.length / sizes.T) % sizes.Z;
    await readWhole(sizes, (target) => read(channel, { t, z }, target));
  }
}

/** A plane is there whole, or its reading is an error: nothing between. */
async function readWhole(
  { Y, X }: { Y: number; X: number },
  read: (target: CoveringTarget) => Promise<void>,
): Promise<void> {
  if (Y * X > MAX_PIXELS) return;
  const target = new CoveringTarget(Y, X);
  try {
    await read(target);
  } catch (error) {
    expectHonest(error);
    return;
  }
  if (!target.complete) throw new Error('a plane was read without all of its samples');
}

describe('damaged CZI files', () => {
  const perSeed = Math.ceil(hostileCases() / SEEDS.length);

  it.each(SEEDS)(`are refused or read honestly: $name, ${perSeed} cases`, { timeout: 3_600_000 }, async (seed) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perSeed; i++) {
      const files = { ...seed.siblings, [seed.name]: mutate(seed.bytes, i) };
      try {
        outcomes[await attempt(seed.name, files)]++;
      } catch (error) {
        throw new Error(`case ${i}: ${(error as Error).stack}`);
      }
    }
    // Damage in pixels and in texts that nobody needs leaves a file readable; damage in headers does not.
    expect(outcomes.opened).toBeGreaterThan(perSeed / 4);
    expect(outcomes.refused).toBeGreaterThan(perSeed / 100);
  });

  it.each(SEEDS)('cut at every place that matters: $name', async ({ name, bytes, siblings }) => {
    const stride = Math.ceil(bytes.length / 250);
    for (let cut = 0; cut < bytes.length; cut += cut < 130 ? 1 : stride) {
      await attempt(name, { ...siblings, [name]: bytes.slice(0, cut) });
    }
  });
});
