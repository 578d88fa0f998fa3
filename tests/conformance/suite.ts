import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../src/acquisition.js';
import { AcqError } from '../../src/errors.js';
import { type OpenedAcquisition, openAcquisition } from '../../src/open.js';
import { ArrayFacts, readNative } from '../support/native.js';

/** One fixture, with the facts that its writer put in. */
export interface ConformanceCase {
  name: string;
  /** Writes the fixture into an empty folder; returns the path to open. */
  write(folder: string): string;
  format: string;
  scenes: { sizes: SceneInfo['sizes']; channels: string[]; sampleType: string }[];
}

/** What every format promises, whatever the vendor. `folder` makes a fresh temporary folder. */
export function conformanceSuite(label: string, cases: ConformanceCase[], folder: () => string): void {
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

    it('obeys an abort', async () => {
      const opened = await open();
      const [scene] = opened.acquisition.info.scenes;
      const target = { rows: scene?.sizes.Y ?? 0, columns: scene?.sizes.X ?? 0, put: () => {} };
      const signal = AbortSignal.abort();
      const read = opened.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target, signal);
      await expect(read).rejects.toMatchObject({ name: 'AbortError' });
      opened.close();
    });

    it('leaves no descriptor open', async () => {
      const before = descriptors();
      const opened = await open();
      await allPlanes(opened);
      opened.close();
      expect(descriptors()).toBe(before);
    });

    it('never shows invented pixels of a truncated file', async () => {
      const at = folder();
      const path = fixture.write(at);
      const whole = readFileSync(path);
      const opened = await openAcquisition(path);
      const truth = new Map((await allPlanes(opened)).map((plane) => [plane.key, plane.digest]));
      opened.close();
      for (let part = 0; part < 64; part++) {
        const cut = join(dirname(path), basename(path));
        writeFileSync(cut, whole.subarray(0, Math.floor((whole.length * part) / 64)));
        await expectHonest(cut, truth);
      }
    });
  });
}

/** A damaged file either fails with a code of the table, or warns, or shows planes that are all true. */
async function expectHonest(path: string, truth: ReadonlyMap<string, string>): Promise<void> {
  let opened: OpenedAcquisition | undefined;
  try {
    opened = await openAcquisition(path);
    for (const plane of await allPlanes(opened)) {
      const warned = opened.acquisition.info.scenes.some(({ warnings }) => warnings.length > 0);
      if (!warned) expect(plane.digest, `plane ${plane.key} of a truncated file`).toBe(truth.get(plane.key));
    }
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    expect(['decode_failed', 'companion_missing', 'unsupported_format']).toContain(error.code);
  } finally {
    opened?.close();
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

function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}
