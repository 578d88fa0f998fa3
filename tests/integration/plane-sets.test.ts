/** Sessions of a set of files, each plane in a file of its own, which an open reads only when it decodes the plane. */
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AcqError } from '../../packages/readers/src/base/errors.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import fc from '../support/fast-check.js';
import { directGate } from '../support/gate.js';
import { LONG } from '../support/long.js';
import { frames } from '../support/oif.js';
import { takeSamples } from '../support/planes.js';
import { tempFolder } from '../support/temp.js';
import { writeOif } from '../writers/oif.js';

const folder = tempFolder();
const pool = new DecodePool({ workers: 2, queue: 64, coldStart: true });
afterAll(() => pool.close());

/** Two channels, two times, three sections, each plane in a TIFF of its own; in a folder of their own. */
function writeSet(name: string): { path: string; part: (name: string) => string } {
  const path = writeOif(join(folder, name), frames());
  return { path, part: (file) => join(`${path}.files`, file) };
}

function start(memoryBudgetBytes = 2 ** 30) {
  let planes = 0;
  const sessions = new SessionService({
    decoder: {
      lease: (options, work) =>
        pool.lease(options, (lease) =>
          work({
            ...lease,
            plane: (request, memory) => {
              planes += (request.kind === 'channel' && request.together?.length) || 1;
              return lease.plane(request, memory);
            },
          }),
        ),
      tryLease: () => undefined,
      letGo: pool.letGo.bind(pool),
      ready: () => pool.ready(),
      close: async () => true,
    },
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.oif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 64,
    memoryBudgetBytes,
    maxPlaneBytes: 2 ** 30,
    openTimeoutSeconds: 60,
  });
  const open = (path: string) => sessions.open({ path, options: {}, picked: true });
  const read = async (sessionId: string) =>
    takeSamples(await sessions.read({ sessionId, kind: 'channel', channelIndex: 1 }, 'served'))[0];
  return { sessions, open, read, planes: () => planes };
}

/** A set of files in which each plane has versions of its own. */
class VersionedSet {
  readonly path: string;
  readonly versions = new Map<string, number>();
  private readonly part: (name: string) => string;

  constructor(name: string) {
    ({ path: this.path, part: this.part } = writeSet(name));
  }

  version(plane: string): number {
    return this.versions.get(plane) ?? 0;
  }

  /** Changes the first sample of a plane. The file has its size, and a new identity. */
  replace(plane: string): void {
    const [c, z, t] = [...plane].map(Number) as [number, number, number];
    const path = this.part(`s_C00${c + 1}Z00${z + 1}T00${t + 1}.tif`);
    const bytes = readFileSync(path);
    const value = 1000 * c + 100 * t + 20 * z;
    const rest = Buffer.from(Uint16Array.from({ length: 14 }, (_, i) => value + i + 1).buffer);
    const at = bytes.indexOf(rest) - 2;
    expect(at).toBeGreaterThan(0);
    const version = this.version(plane) + 1;
    bytes.writeUInt16LE(FIRST + version, at);
    const { atime, mtime } = statSync(path);
    writeFileSync(`${path}.new`, bytes);
    utimesSync(`${path}.new`, atime, mtime);
    renameSync(`${path}.new`, path);
    this.versions.set(plane, version);
  }
}

/** First sample of version 0 of a plane is below; that of the others is this plus the version. */
const FIRST = 10_000;

const planeName = fc.tuple(fc.nat(1), fc.nat(2), fc.nat(1)).map((place) => place.join(''));
const setStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('open' as const), plane: planeName, isLater: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('read' as const), plane: planeName, which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete' as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('replace' as const), plane: planeName }) },
);

interface SetSession {
  id: string;
  /** Versions of all planes when it was opened. */
  opened: Map<string, number>;
  /** Versions of the planes that it has shown, or that its open has decoded. */
  seen: Map<string, number>;
}

let sets = 0;

/** Runs the steps one after the other. */
async function runSteps(steps: readonly (typeof setStep extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
  const set = new VersionedSet(`model-${sets++}`);
  const { sessions } = start(4 * 60 + 200);
  const living: SetSession[] = [];
  const open = async (plane: string, isLater: boolean) => {
    const [, z, t] = [...plane].map(Number) as [number, number, number];
    const options = { selection: { Z: z, T: t }, decode: isLater ? 'later' : 'now' } as const;
    const { sessionId } = await sessions.open({ path: set.path, options, picked: true });
    const decoded = isLater ? [] : [`0${z}${t}`, `1${z}${t}`];
    const seen = new Map(decoded.map((name) => [name, set.version(name)]));
    living.push({ id: sessionId, opened: new Map(set.versions), seen });
  };
  const read = async ({ id, opened, seen }: SetSession, plane: string) => {
    const [channelIndex, z, t] = [...plane].map(Number) as [number, number, number];
    try {
      const sample = takeSamples(
        await sessions.read({ sessionId: id, kind: 'channel', channelIndex, z, t }, 'served'),
      )[0]!;
      const version = sample < FIRST ? 0 : sample - FIRST;
      const known = seen.get(plane);
      if (known !== undefined) expect(version, `plane ${plane}`).toBe(known);
      expect(version).toBeGreaterThanOrEqual(opened.get(plane) ?? 0);
      expect(version).toBeLessThanOrEqual(set.version(plane));
      seen.set(plane, version);
    } catch (error) {
      expect((error as AcqError).code, (error as AcqError).message).toBe('source_changed');
      expect([...set.versions]).not.toEqual([...opened]);
    }
  };
  for (const step of steps) {
    const session = 'which' in step ? living[step.which % Math.max(1, living.length)] : undefined;
    if (step.what === 'open') await open(step.plane, step.isLater);
    else if (step.what === 'replace') set.replace(step.plane);
    else if (session && step.what === 'read') await read(session, step.plane);
    else if (session) await sessions.delete(living.splice(living.indexOf(session), 1)[0]!.id);
  }
  await sessions.close();
}

describe('sessions of a set of files', () => {
  it('show each plane in one state, and none that is older than they are', async () => {
    const steps = fc.array(setStep, { minLength: 20, maxLength: 40 });
    await fc.assert(fc.asyncProperty(steps, runSteps), { numRuns: LONG ? 300 : 6 });
  });

  it('share planes while all files are what they were, and have the same revision', async () => {
    const { sessions, open, read, planes } = start();
    const { path } = writeSet('shared');
    const [first, second] = [await open(path), await open(path)];
    expect(planes()).toBe(2);
    expect(second.source.revision).toBe(first.source.revision);
    await sessions.delete(first.sessionId);
    expect(await read(second.sessionId)).toBe(1000);
    await sessions.close();
  });

  it('share none when a file of a plane was replaced by another one of the same size and time', async () => {
    const { sessions, open, read, planes } = start();
    const { path, part } = writeSet('replaced');
    const first = await open(path);
    // The second channel, in two sections. The open itself looks at the first channel.
    const [own, other] = [part('s_C002Z001T001.tif'), part('s_C002Z002T001.tif')];
    const { atime, mtime, size } = statSync(own);
    expect(statSync(other).size).toBe(size);
    renameSync(other, `${own}.new`);
    utimesSync(`${own}.new`, atime, mtime);
    renameSync(own, other);
    renameSync(`${own}.new`, own);
    const second = await open(path);
    expect(planes()).toBe(4);
    expect(second.source.revision).not.toBe(first.source.revision);
    expect([await read(first.sessionId), await read(second.sessionId)]).toEqual([1000, 1020]);
    await sessions.close();
  });
});
