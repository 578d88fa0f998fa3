/** Opens whose path a decode worker finds itself, beside those for which a look-up thread does. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AcqError } from '../../packages/readers/src/base/errors.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import { answerLookup } from '../../packages/server/src/storage/answer.js';
import { StorageGate } from '../../packages/server/src/storage/gate.js';
import { LookupThreads } from '../../packages/server/src/storage/lookup-threads.js';
import { frames } from '../support/oif.js';
import { takeSamples } from '../support/planes.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const [inside, drive] = [join(folder, 'inside'), join(folder, 'drive')];
for (const path of [inside, drive, join(folder, 'outside')]) mkdirSync(path);
const scan = (value: number) =>
  writeTiff({ pages: [{ width: 3, height: 2, samples: new Uint16Array(6).fill(value) }] });
const SCAN = writeTemp(inside, 'scan.tif', scan(5));
const ON_DRIVE = writeTemp(drive, 'far.tif', scan(6));
const SECRET = writeTemp(join(folder, 'outside'), 'secret.tif', scan(7));
const OIF = writeOif(join(inside, 'frames'), frames());
symlinkSync(SECRET, join(inside, 'link.tif'));
symlinkSync(ON_DRIVE, join(inside, 'far-link.tif'));
symlinkSync(SCAN, join(drive, 'back.tif'));

const pool = new DecodePool({ workers: 2, queue: 8, coldStart: true });
const services: SessionService[] = [];
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await pool.close();
});

/** Look-ups of threads, by what they look for. On a busy machine they also ask whether the storage answers. */
let lookups: string[] = [];
let idle = 1;
beforeEach(async () => {
  await pool.ready();
  lookups = [];
  idle = 1;
});

function start(roots: readonly string[] = []): SessionService {
  const gate = new StorageGate(
    {
      maxStuck: 4,
      report: () => {},
      // The folder `drive` is a drive of its own.
      mountPoints: () => ['/', drive],
    },
    new LookupThreads(() => ({
      run: async (request) => {
        if (request.lookup.kind !== 'probe') lookups.push(request.lookup.kind);
        return answerLookup(request);
      },
      close: async () => {},
    })),
  );
  const service = new SessionService({
    decoder: {
      ready: () => pool.ready(),
      lease: pool.lease.bind(pool),
      tryLease: pool.tryLease.bind(pool),
      letGo: pool.letGo.bind(pool),
      close: async () => true,
      occupancy: { busy: 0, idle, stuck: 0, waiting: 0 },
    },
    gate,
    roots,
    allowedExtensions: ['.tif', '.oif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 64,
    memoryBudgetBytes: 2 ** 24,
    maxPlaneBytes: 2 ** 24,
    openTimeoutSeconds: 60,
  });
  services.push(service);
  return service;
}

async function firstSample(service: SessionService, path: string): Promise<[path: string, sample: number]> {
  const { sessionId, source } = await service.open({ path, options: {}, picked: false });
  const plane = await service.read({ sessionId, kind: 'channel', channelIndex: 0 }, 'served');
  return [source.path, takeSamples(plane)[0]!];
}

const refusalOf = (service: SessionService, path: string) =>
  service.open({ path, written: path, options: {}, picked: false }).then(
    () => ['opened'],
    ({ code, message, details }: AcqError) => [code, message, details],
  );

describe('an open with a worker that is free', () => {
  it('needs no look-up thread', async () => {
    expect(await firstSample(start([inside]), SCAN)).toEqual([SCAN, 5]);
    expect(lookups).toEqual([]);
  });

  it('of a part opens the acquisition that it belongs to', async () => {
    const part = join(`${OIF}.files`, 's_C001Z001T001.tif');
    const [path] = await firstSample(start([inside]), part);
    expect([path, lookups]).toEqual([OIF, []]);
  });

  it.each([
    ['a file that is missing', join(inside, 'none.tif')],
    ['a file outside the roots', SECRET],
    ['a file that is missing outside the roots', join(folder, 'outside', 'none.tif')],
    ['a link that leads outside', join(inside, 'link.tif')],
    ['another extension', join(inside, 'notes.txt')],
    ['a folder', inside],
    ['a path that is relative', 'scan.tif'],
    ['a path with a zero', `${inside}/a\0.tif`],
  ])('refuses %s as the look-up threads do', async (_, path) => {
    const direct = await refusalOf(start([inside]), path);
    expect(lookups).toEqual([]);
    idle = 0;
    expect(await refusalOf(start([inside]), path)).toEqual(direct);
    expect([direct[0], lookups]).not.toContain('opened');
    expect(lookups).toEqual(['locate']);
  });
});

describe('an open is left to a look-up thread', () => {
  it('when no worker is free', async () => {
    idle = 0;
    expect(await firstSample(start(), SCAN)).toEqual([SCAN, 5]);
    expect(lookups).toEqual(['locate']);
  });

  it('when the file is on a drive that has not answered for a while, and no longer once it has', async () => {
    const service = start();
    expect(await firstSample(service, ON_DRIVE)).toEqual([ON_DRIVE, 6]);
    expect(lookups).toEqual(['locate']);
    lookups = [];
    expect(await firstSample(service, ON_DRIVE)).toEqual([ON_DRIVE, 6]);
    expect(lookups).toEqual([]);
  });

  it('when a link leads to another drive, which the worker does not touch', async () => {
    const service = start();
    expect(await firstSample(service, join(inside, 'far-link.tif'))).toEqual([ON_DRIVE, 6]);
    expect(lookups).toEqual(['locate', 'locate']);
  });

  it('when a link leads from a drive back, because the drive is what is watched then', async () => {
    const service = start();
    await firstSample(service, ON_DRIVE);
    lookups = [];
    expect(await firstSample(service, join(drive, 'back.tif'))).toEqual([SCAN, 5]);
    expect(lookups).toEqual(['locate']);
  });
});
