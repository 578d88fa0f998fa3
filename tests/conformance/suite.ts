import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { ZARR_VERSIONS } from '../../packages/readers/src/derive/zarr/versions.js';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { listHonestly } from '../support/honest.js';
import { LONG } from '../support/long.js';
import { ArrayFacts, readNative } from '../support/native.js';
import { pageSuite } from '../support/page-suite.js';
import { type JudgeOptions, judge, type Truth, truthOf } from '../support/truth.js';
import { expectSameImages, expectSameMetadata } from '../support/zarr-read.js';

/** One fixture, with the facts that its writer put in. */
export interface ConformanceCase {
  name: string;
  /** Writes the fixture into an empty folder; returns the path to open. */
  write(folder: string): string;
  format: string;
  /** It has no metadata of a vendor. */
  withoutMetadata?: boolean;
  /** How its planes may be short: see `tests/support/truth.ts`. */
  judge?: JudgeOptions;
  /** Refused wherever it is cut off: one page that is whole or not, or an end without which nothing is found. */
  refusesCuts?: boolean;
  /** A file of it that is absent cannot be missed: a chunk that was never written, a text that need not be there. */
  silentlyAbsent?: boolean;
  scenes: { sizes: SceneInfo['sizes']; channels: string[]; sampleType: string }[];
}

/** What every format promises, whatever the vendor. `folder` makes a fresh temporary folder. */
export function conformanceSuite(label: string, cases: ConformanceCase[], folder: () => string): void {
  if (LONG) pageSuite(label, cases, folder);
  describe.each(cases)(`${label}: $name`, (fixture) => {
    const open = (at = folder()) => openAcquisition(fixture.write(at));

    it('opens with the shape, types and names that were written', async () => {
      const opened = await open();
      const { info } = opened.acquisition;
      expect(info.format).toBe(fixture.format);
      expect(
        info.scenes.map(({ sizes, channels, sampleType }) => ({
          sizes,
          channels: channels.map(({ name }) => name),
          sampleType,
        })),
      ).toEqual(fixture.scenes);
      for (const scene of info.scenes) expectSane(scene);
      opened.close();
    });

    it('reads the same planes from a second open', async () => {
      const at = folder();
      const first = await open(at);
      const again = await openAcquisition(first.path);
      expect(await allPlanes(again)).toEqual(await allPlanes(first));
      first.close();
      again.close();
    });

    // Both versions have the same chunks; `tests/zarr/` compares them.
    it.each(LONG ? ZARR_VERSIONS : ['0.5' as const])('has the same planes as OME-Zarr %s', async (version) => {
      const opened = await open();
      await expectSameImages(opened.acquisition, version);
      opened.close();
    });

    it.each(ZARR_VERSIONS)('keeps its metadata as OME-Zarr %s', async (version) => {
      const opened = await open();
      expectSameMetadata(opened.acquisition, version);
      opened.close();
    });

    it("lists the vendor's metadata, the same each time", async () => {
      const { acquisition, close } = await open();
      const entries = await listHonestly(acquisition);
      expect(entries.length > 0).toBe(!fixture.withoutMetadata);
      expect(await listHonestly(acquisition)).toEqual(entries);
      close();
    });

    it('obeys an abort', async () => {
      const opened = await open();
      const [scene] = opened.acquisition.info.scenes;
      const target = { rows: scene?.sizes.Y ?? 0, columns: scene?.sizes.X ?? 0, put: () => {} };
      const signal = AbortSignal.abort();
      const read = opened.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target, signal);
      await expect(read).rejects.toMatchObject({ name: 'AbortError' });
      opened.close();
    });

    it.skipIf(process.platform !== 'linux')('leaves no descriptor open (counted on Linux)', async () => {
      const before = descriptors();
      const opened = await open();
      await allPlanes(opened);
      // A reader holds at least the file that it reads from: the count would notice one that stays.
      expect(descriptors()).toBeGreaterThan(before);
      opened.close();
      expect(descriptors()).toBe(before);
    });

    it('serves nothing but true planes when it is cut off', async () => {
      const at = folder();
      const path = fixture.write(at);
      const opened = await openAcquisition(path);
      const truth = await truthOf(opened.acquisition);
      opened.close();
      expectTellingPlanes(truth);
      const outcomes: Outcomes = { refused: 0, planes: 0, faults: [] };
      const files = filesIn(at);
      for (const file of files) {
        const whole = readFileSync(file);
        const absent = file !== path && fixture.silentlyAbsent === true;
        for (const length of cutsOf(whole.length, (file === path ? 24 : 4) * (LONG ? 8 : 1))) {
          if (absent && length === 0) continue;
          writeFileSync(file, whole.subarray(0, length));
          await tryDamaged(path, truth, fixture, `${basename(file)} cut at ${length} of ${whole.length}`, outcomes);
        }
        if (file !== path && !absent) {
          rmSync(file);
          await tryDamaged(path, truth, fixture, `without ${basename(file)}`, outcomes);
        }
        writeFileSync(file, whole);
      }
      expect(outcomes.faults).toEqual([]);
      // The rule is about planes that are served: without any it would say nothing.
      if (fixture.refusesCuts) expect(outcomes.planes).toBe(0);
      else expect(outcomes.planes).toBeGreaterThan(0);
    });
  });
}

/** Files of a fixture: its main one, and at most eight of those that belong to it. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const stride = Math.ceil(paths.length / 8);
  return paths.filter((_, i) => i % stride === 0);
}

/** A quarter of the cuts lies in the last bytes, where the pixels of a file that is mostly metadata are. */
function cutsOf(length: number, count: number): number[] {
  const spread = Array.from({ length: (count * 3) / 4 }, (_, part) => Math.floor((length * part * 4) / (count * 3)));
  const tail = Array.from({ length: count / 4 }, (_, i) => Math.max(0, length - 1 - 5 * i));
  return [...spread, ...tail];
}

interface Outcomes {
  /** Damaged files that are refused as a whole. */
  refused: number;
  /** Planes that were served, and held against the truth. */
  planes: number;
  faults: string[];
}

async function tryDamaged(
  path: string,
  truth: Truth,
  { judge: options }: ConformanceCase,
  label: string,
  outcomes: Outcomes,
) {
  let opened: OpenedAcquisition | undefined;
  try {
    opened = await openAcquisition(path);
    const verdicts = await judge(opened.acquisition, truth, options);
    outcomes.planes += verdicts.same + verdicts.short + verdicts.moved;
    outcomes.faults.push(...verdicts.faults.map((fault) => `${label}: ${fault}`));
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    expect(['decode_failed', 'unsupported_format', 'companion_missing', 'path_not_found'], label).toContain(error.code);
    outcomes.refused++;
  } finally {
    opened?.close();
  }
}

/** Every plane has samples of its own, and so has every row: one that is at the wrong place can be recognized. */
function expectTellingPlanes({ planes }: Truth): void {
  const texts = planes.map(({ data }) => String(data));
  expect(new Set(texts).size, 'planes that differ').toBe(texts.length);
  for (const { data, rows, columns } of planes) {
    const lines = Array.from({ length: rows }, (_, y) => String(data.subarray(y * columns, (y + 1) * columns)));
    expect(
      lines.some((line, y) => line === lines[y + 1]),
      'rows alike',
    ).toBe(false);
  }
}

function expectSane(scene: SceneInfo): void {
  for (const size of Object.values(scene.sizes)) expect(Number.isSafeInteger(size) && size >= 1).toBe(true);
  for (const { step } of Object.values(scene.steps)) expect(Number.isFinite(step) && step > 0).toBe(true);
  const names = scene.channels.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(scene.date).toMatch(/^(\d{8})?$/);
  expect(scene.time).toMatch(/^(\d\d:\d\d:\d\d)?$/);
}

async function allPlanes(opened: OpenedAcquisition): Promise<{ key: string; digest: string }[]> {
  const planes = [];
  for (const [index, scene] of opened.acquisition.info.scenes.entries()) {
    for (let channel = 0; channel < scene.channels.length; channel++) {
      for (let t = 0; t < scene.sizes.T; t++) {
        for (let z = 0; z < scene.sizes.Z; z++) {
          const facts = new ArrayFacts();
          facts.add(await readNative(opened, index, { channel, t, z }), scene.sampleType);
          const shape = `${scene.sizes.Y}×${scene.sizes.X}`;
          planes.push({ key: `S${index} C${channel} T${t} Z${z} ${shape}`, digest: facts.digest() });
        }
      }
    }
  }
  return planes;
}

/** Descriptors of this process; the test that counts them runs on Linux only. */
function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
