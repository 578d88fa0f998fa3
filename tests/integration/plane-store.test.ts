/**
 * Random opens, reads, deletes, aborts and replaced files against a naive model: a session shows the samples that its file
 * had when it was opened, or says that the file has changed.
 */
import { linkSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AcqError } from '../../packages/readers/src/base/errors.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import { PlaneArena } from '../../packages/server/src/planes/plane-memory.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import type { SessionApi } from '../../packages/server/src/sessions/types.js';
import fc from '../support/fast-check.js';
import { directGate } from '../support/gate.js';
import { LONG } from '../support/long.js';
import { takeSamples } from '../support/planes.js';
import { tempFolder } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const pool = new DecodePool({ workers: 2, queue: 64, coldStart: true });
afterAll(() => pool.close());

const [ROWS, COLUMNS, DEPTHS] = [40, 30, 3];
const PLANE_BYTES = ROWS * COLUMNS * 4;
/** Room for some planes; all of a file have 6. */
const BUDGET = 5 * PLANE_BYTES;

/** First sample of a plane in a version of a file. */
const sampleOf = (version: number, channel: number, z: number) => 100 * version + 10 * channel + z;

/** A file whose versions differ in each sample, and in nothing that could be seen from outside but their identity. */
class VersionedFile {
  readonly path: string;
  version = 0;

  constructor(name: string) {
    this.path = join(folder, name);
    this.write(this.path);
  }

  /** In place: another time. Otherwise another file of the same size and time. */
  replace(isInPlace: boolean): void {
    this.version++;
    if (isInPlace) {
      this.write(this.path);
      return;
    }
    const { atime, mtime } = statSync(this.path);
    this.write(`${this.path}.new`);
    utimesSync(`${this.path}.new`, atime, mtime);
    // The number of the last version, and the moment of its creation, could otherwise be those of the next one.
    linkSync(this.path, `${this.path}.${this.version}`);
    renameSync(`${this.path}.new`, this.path);
  }

  private write(path: string): void {
    const pages = Array.from({ length: DEPTHS }, (_, z) => ({
      width: COLUMNS,
      height: ROWS,
      samples: [0, 1].map((channel) => new Uint16Array(ROWS * COLUMNS).fill(sampleOf(this.version, channel, z))),
      planar: true,
    }));
    writeFileSync(path, writeTiff({ pages }));
  }
}

interface ModelSession {
  id: string;
  api: SessionApi;
  file: VersionedFile;
  version: number;
  channels: number[];
  z: number;
}

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const action = fc.record({
  what: fc.constantFrom('open', 'open', 'read', 'read', 'read', 'delete'),
  which: fc.nat(20),
  channels: fc.constantFrom<number[]>([0], [1], [0, 1], [1, 0]),
  z: fc.nat(DEPTHS - 1),
  isLater: fc.boolean(),
  api: fc.constantFrom<SessionApi>('v1', 'v2'),
  /** Turns of the event loop after which the client leaves; most stay. */
  leaves: seldom(fc.nat(40)),
});
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
/** What happens at once, and whether a file is replaced afterwards. */
const step = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 5, size: 'max' }),
  replace: seldom(fc.record({ which: fc.constantFrom(0, 0, 1), isInPlace: fc.boolean() })),
});

let runs = 0;

class Model {
  readonly arena = new PlaneArena(BUDGET);
  readonly files: VersionedFile[];
  readonly living: ModelSession[] = [];
  private readonly sessions = new SessionService({
    decoder: {
      lease: pool.lease.bind(pool),
      tryLease: pool.tryLease.bind(pool),
      letGo: pool.letGo.bind(pool),
      ready: () => pool.ready(),
      close: async () => true,
    },
    gate: directGate(),
    arena: this.arena,
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 1_000,
    memoryBudgetBytes: BUDGET,
    maxPlaneBytes: 2 ** 30,
    openTimeoutSeconds: 60,
  });

  constructor() {
    const run = runs++;
    this.files = [0, 1].map((i) => new VersionedFile(`${run}-${i}.tif`));
  }

  async act({ what, which, channels, z, isLater, api, leaves }: Action): Promise<void> {
    const client = new AbortController();
    if (leaves !== null) void leaveAfter(client, leaves);
    const session = this.living[which % Math.max(1, this.living.length)];
    if (what === 'open')
      await this.open(this.files[which % 3 === 0 ? 1 : 0]!, { channels, z, isLater, api }, client.signal);
    else if (session && what === 'delete') this.end(session);
    else if (session) await this.read(session, channels[0]!, isLater ? z : undefined, client.signal);
  }

  async open(
    file: VersionedFile,
    { channels, z, isLater, api }: Pick<Action, 'channels' | 'z' | 'isLater' | 'api'>,
    signal: AbortSignal,
  ): Promise<void> {
    const options = { channelIndices: channels, selection: { Z: z }, decode: isLater ? 'later' : 'now' } as const;
    try {
      const { sessionId } = await this.sessions.open({ path: file.path, options, picked: true, api, signal });
      this.living.push({ id: sessionId, api, file, version: file.version, channels, z });
    } catch (error) {
      expectExcused(error, signal, ['capacity_exceeded']);
    }
  }

  async read(session: ModelSession, channel: number, z: number | undefined, signal: AbortSignal): Promise<void> {
    const { id, api, file, version, channels } = session;
    const isEnded = () => !this.living.includes(session);
    const address = {
      sessionId: id,
      api,
      kind: 'channel',
      channelIndex: channel,
      ...(z === undefined ? {} : { z }),
    } as const;
    try {
      const samples = takeSamples(await this.sessions.read(address, 'served', signal));
      const expected = sampleOf(version, channel, z ?? session.z);
      expect(
        [samples.length, samples.every((sample) => sample === expected)],
        `${samples[0]}, not ${expected}`,
      ).toEqual([ROWS * COLUMNS, true]);
    } catch (error) {
      const excuses = ['capacity_exceeded'];
      if (!channels.includes(channel)) excuses.push('channel_not_found');
      if (file.version !== version) excuses.push('source_changed');
      if (isEnded()) excuses.push('session_not_found');
      expectExcused(error, signal, excuses);
    }
  }

  end(session: ModelSession): void {
    this.living.splice(this.living.indexOf(session), 1);
    void this.sessions.delete(session.id, session.api);
  }

  checkMemory(): void {
    const { outBytes, freeBytes, scratchBytes } = this.arena.state;
    expect(outBytes + freeBytes + scratchBytes).toBeLessThanOrEqual(BUDGET);
  }

  async finish(): Promise<void> {
    for (const session of [...this.living]) this.end(session);
    await expect.poll(() => this.arena.state).toMatchObject({ outBytes: 0, scratchBytes: 0 });
    await this.sessions.close();
  }
}

async function leaveAfter(client: AbortController, turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
  client.abort(new Error('client left'));
}

function expectExcused(error: unknown, signal: AbortSignal, codes: string[]): void {
  if (error === signal.reason && signal.aborted) return;
  const { code } = error as AcqError;
  if (code === undefined) throw error;
  expect(codes, (error as AcqError).message).toContain(code);
}

describe('what sessions show', () => {
  it('is what their files had when they were opened, within the budget, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 15 }), async (steps) => {
        const model = new Model();
        for (const { actions, replace } of steps) {
          await Promise.all(actions.map((one) => model.act(one)));
          model.checkMemory();
          if (replace) model.files[replace.which]!.replace(replace.isInPlace);
        }
        await model.finish();
      }),
      { numRuns: LONG ? 500 : 3 },
    );
  }, 3_600_000);
});
