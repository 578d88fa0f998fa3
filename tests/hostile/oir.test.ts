import { describe, expect, it } from 'vitest';
import { AcqError } from '../../src/errors.js';
import { openArchive } from '../../src/formats/oir/archive.js';
import { type OirScene, openScene, readScenePlane, readSceneReference } from '../../src/formats/oir/scene.js';
import { type ByteSource, MemorySource } from '../../src/io/byte-source.js';
import { CoveringTarget } from '../support/covering-target.js';
import { type OirSpec, writeOir, writeOirSet } from '../writers/oir.js';
import { lambdaScan, lineScan, stillImage, timeDepthSeries, timeSeries } from '../writers/oir-kinds.js';
import { oirVector } from '../writers/oir-vector.js';
import { writeZip } from '../writers/zip.js';
import { hostileCases, mutate } from './mutate.js';

/** Planes of a damaged file that are tried; a damaged count may announce a million. */
const MAX_TRIES = 12;
const MAX_PIXELS = 2 ** 22;

const small = (spec: OirSpec, side: number): OirSpec => ({ ...spec, width: side, height: side });
const [MAIN, PART] = writeOirSet(timeSeries(6, 6), [3, 3]) as [Uint8Array, Uint8Array];
const LINE = writeOir(lineScan(40, 6, 8, { bandBytes: 60 }));

/** Small files of every kind; `siblings` are whole. */
const SEEDS: { name: string; bytes: Uint8Array; siblings: Record<string, Uint8Array> }[] = [
  { name: 'vector.oir', bytes: oirVector(), siblings: {} },
  { name: 'line.oir', bytes: LINE, siblings: {} },
  { name: 'stack.oir', bytes: writeOir({ ...small(timeDepthSeries(), 6), t: 2, z: 2 }), siblings: {} },
  { name: 'lambda.oir', bytes: writeOir({ ...small(lambdaScan(), 4), z: 1, lambda: 3 }), siblings: {} },
  { name: 'still.oir', bytes: writeOir(stillImage(7)), siblings: {} },
  { name: 'rec.oir', bytes: MAIN, siblings: { rec_00001: PART } },
  { name: 'rec_00001', bytes: PART, siblings: { 'rec.oir': MAIN } },
];
const ARCHIVES = [false, true].map((deflate) =>
  writeZip([
    { name: 'a.oir', bytes: LINE, deflate },
    { name: 'rec.oir', bytes: MAIN, deflate },
    { name: 'rec_00001', bytes: PART, deflate },
  ]),
);

/** Opens and reads everything in reach; throws on anything that is not an honest error. */
function attempt(open: () => OirScene[]): 'refused' | 'opened' {
  let scenes: OirScene[];
  try {
    scenes = open();
  } catch (error) {
    expectHonest(error);
    return 'refused';
  }
  for (const scene of scenes) readAll(scene);
  return 'opened';
}

function expectHonest(error: unknown): void {
  if (!(error instanceof AcqError)) throw error;
  if (!['decode_failed', 'companion_missing', 'unsupported_format'].includes(error.code)) throw error;
}

function readAll(scene: OirScene): void {
  const { sizes, channels, steps, reference } = scene.info;
  for (const size of Object.values(sizes)) if (!Number.isSafeInteger(size) || size < 1) throw new Error(`size ${size}`);
  for (const { step } of Object.values(steps)) if (!Number.isFinite(step) || step <= 0) throw new Error(`step ${step}`);
  if (new Set(channels.map(({ name }) => name)).size !== channels.length) throw new Error('channel names repeat');
  if (sizes.Y * sizes.X > MAX_PIXELS) return;
  const planes = Math.min(MAX_TRIES, sizes.T * sizes.Z * channels.length);
  for (let i = 0; i < planes; i++) {
    const channel = i % channels.length;
    const t = Math.floor(i / channels.length) % sizes.T;
    const z = Math.floor(i / channels.length / sizes.T) % sizes.Z;
    readWhole(sizes, (target) => readScenePlane(scene, { scene: 0, channel, t, z }, target));
  }
  if (reference && reference.sizes.Y * reference.sizes.X <= MAX_PIXELS) {
    readWhole(reference.sizes, (target) => readSceneReference(scene, 0, target));
  }
}

/** A plane is there whole, or its reading is an error: nothing between. */
function readWhole({ Y, X }: { Y: number; X: number }, read: (target: CoveringTarget) => void): void {
  const target = new CoveringTarget(Y, X);
  try {
    read(target);
  } catch (error) {
    expectHonest(error);
    return;
  }
  if (!target.complete) throw new Error('a plane was read without all of its samples');
}

function siblingsOf(files: Record<string, Uint8Array>) {
  return {
    list: () => Object.keys(files),
    open: (name: string): ByteSource | undefined => {
      const bytes = files[name];
      return bytes && new MemorySource(name, bytes);
    },
  };
}

describe('damaged OIR files', () => {
  const cases = hostileCases();
  const perSeed = Math.ceil((cases * 0.9) / SEEDS.length);

  it.each(SEEDS)(`are refused or read honestly: $name, ${perSeed} cases`, { timeout: 0 }, (seed) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perSeed; i++) {
      const bytes = mutate(seed.bytes, i);
      const files = { ...seed.siblings, [seed.name]: bytes };
      try {
        outcomes[attempt(() => [openScene(seed.name, new MemorySource(seed.name, bytes), siblingsOf(files))])]++;
      } catch (error) {
        throw new Error(`case ${i}: ${(error as Error).stack}`);
      }
    }
    // Damage in pixels and in texts that nobody needs leaves a file readable; damage in headers does not.
    expect(outcomes.opened).toBeGreaterThan(perSeed / 4);
    expect(outcomes.refused).toBeGreaterThan(perSeed / 100);
  });

  it.each([
    ['stored', ARCHIVES[0] as Uint8Array],
    ['deflated', ARCHIVES[1] as Uint8Array],
  ])(`in archives too: %s, ${Math.ceil(cases * 0.05)} cases`, { timeout: 0 }, (_, archive) => {
    for (let i = 0; i < Math.ceil(cases * 0.05); i++) {
      const bytes = mutate(archive, i);
      try {
        attempt(() => openArchive('a.poir', new MemorySource('a.poir', bytes)));
      } catch (error) {
        throw new Error(`case ${i}: ${(error as Error).stack}`);
      }
    }
  });

  it.each(SEEDS)('cut at every place that matters: $name', ({ name, bytes, siblings }) => {
    const stride = Math.ceil(bytes.length / 250);
    for (let cut = 0; cut < bytes.length; cut += cut < 130 ? 1 : stride) {
      const part = bytes.slice(0, cut);
      const files = { ...siblings, [name]: part };
      attempt(() => [openScene(name, new MemorySource(name, part), siblingsOf(files))]);
    }
  });
});
