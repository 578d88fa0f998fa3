import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import type { AcquisitionInfo, SceneInfo, Step } from '../../../packages/readers/src/model/acquisition.js';
import { planeByteLength } from '../../../packages/readers/src/model/samples/plane-data.js';
import { SessionService } from '../../../packages/server/src/sessions/service.js';
import type { SessionServiceOptions } from '../../../packages/server/src/sessions/service-options.js';
import type { OpenSessionRequest } from '../../../packages/server/src/sessions/types.js';
import { FakeDecoder, untilStopped } from '../../support/fake-decoder.js';
import { directGate } from '../../support/gate.js';
import { takeSamples } from '../../support/planes.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

const file = writeTemp(tempFolder(), 'scan.tif', 'not looked at');
const pixels: Step = { step: 1, unit: 'Pixels', origin: 'default' };

/** Two channels of 5 × 4 pixels: 80 bytes each as float32. */
const scene: SceneInfo = {
  name: '',
  sampleType: 'float32',
  channels: [{ name: 'CH1' }, { name: 'CH2' }],
  sizes: { T: 1, Z: 1, Y: 5, X: 4 },
  steps: { T: pixels, Z: pixels, Y: pixels, X: pixels },
  date: '',
  time: '',
  reference: null,
  warnings: [],
};

/** One channel of 3 × 3 pixels: 36 bytes as float32. */
const reference: NonNullable<SceneInfo['reference']> = {
  sampleType: 'float32',
  channels: [{ name: 'Overview' }],
  sizes: { Y: 3, X: 3 },
  steps: { Y: pixels, X: pixels },
  lineRoi: null,
  scanPath: null,
};

const info = (changes: Partial<SceneInfo> = {}): AcquisitionInfo => ({
  format: 'tif',
  scenes: [{ ...scene, ...changes }],
});

let clock = 1_000_000;
let decoder: FakeDecoder;
let sessions: SessionService;
let reported: unknown[];

function start(options: Partial<SessionServiceOptions> = {}, acquisition = info()): void {
  decoder = new FakeDecoder(acquisition);
  reported = [];
  sessions = new SessionService({
    decoder,
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 10,
    memoryBudgetBytes: 1_000_000,
    maxPlaneBytes: 1_000_000,
    openTimeoutSeconds: 60,
    now: () => clock,
    report: (error) => reported.push(error),
    ...options,
  });
}

const open = (options: OpenSessionRequest['options'] = {}, signal?: AbortSignal): Promise<OpenResponse> =>
  sessions.open({ path: file, options, picked: false, ...(signal ? { signal } : {}) });

const read = async (sessionId: string, channelIndex = 0, kind: 'channel' | 'reference' = 'channel') => {
  return takeSamples(await sessions.read({ sessionId, kind, channelIndex }, 'served'));
};

const codeOf = (action: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(action)
    .then(
      () => 'nothing thrown',
      (error: AcqError) => error.code,
    );

beforeEach(() => start());
afterEach(() => sessions.close());

describe('an open', () => {
  it('answers with a session that has every channel', async () => {
    const response = await open();
    expect(response.sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(response.channels.map(({ index, byteLength }) => [index, byteLength])).toEqual([
      [0, 80],
      [1, 80],
    ]);
    expect(sessions.status(response.sessionId)).toEqual({
      ok: true,
      sessionId: response.sessionId,
      ttlSecondsRemaining: 600,
      channelIndices: [0, 1],
      referenceChannelIndices: [],
      totalBytes: 160,
    });
  });

  it('never gives the same id twice', async () => {
    expect((await open()).sessionId).not.toBe((await open()).sessionId);
  });

  it('reads the channels asked for, in their order, and no others', async () => {
    const { sessionId, channels } = await open({ channelIndices: [1] });
    expect(channels.map(({ index }) => index)).toEqual([1]);
    expect(decoder.log).toEqual(['open', 'plane channel 1', 'close']);
    expect(sessions.status(sessionId)).toMatchObject({ channelIndices: [1], totalBytes: 80 });
    expect(await codeOf(() => read(sessionId, 0))).toBe('channel_not_found');
  });

  it('does not bother a worker for channels that no file has', async () => {
    expect(await codeOf(() => open({ channelIndices: [] }))).toBe('invalid_channel_indices');
    expect(await codeOf(() => open({ channelIndices: [0, 0] }))).toBe('invalid_channel_indices');
    expect(decoder.log).toEqual([]);
  });

  it('checks sizes before a plane is read', async () => {
    start({ maxPlaneBytes: 79 });
    expect(await codeOf(() => open())).toBe('plane_too_large');
    start({ memoryBudgetBytes: 159 });
    expect(await codeOf(() => open())).toBe('plane_too_large');
    expect(decoder.count('plane')).toBe(0);
    expect(await codeOf(() => open({ channelIndices: [0] }))).toBe('nothing thrown');
  });

  it('fails when the file changed meanwhile, and says so', async () => {
    decoder.state = { ...decoder.state, changes: ['scan.tif had 10 bytes and has 20 now'] };
    const error = await open().catch((thrown: AcqError) => thrown);
    expect(error).toMatchObject({ code: 'decode_failed' });
    expect((error as AcqError).message).toContain('scan.tif had 10 bytes and has 20 now');
  });

  it('takes no longer than it may', async () => {
    start({ openTimeoutSeconds: 0.02 });
    decoder.onPlane = (_, signal) => untilStopped(signal);
    const error = await open().catch((thrown: AcqError) => thrown);
    expect(error).toMatchObject({ code: 'load_timeout' });
    expect((error as AcqError).message).toContain('scan.tif');
  });

  it('whose client leaves is stopped, and leaves nothing behind', async () => {
    start({ memoryBudgetBytes: 160, maxSessions: 1 });
    const client = new AbortController();
    decoder.onPlane = (request, signal) => {
      if (request.channel === 0) return 1;
      client.abort(new Error('client left'));
      return untilStopped(signal);
    };
    await expect(open({}, client.signal)).rejects.toThrow('client left');
    decoder.onPlane = () => 2;
    expect(await read((await open()).sessionId)).toEqual(new Float32Array(20).fill(2));
  });

  it('whose client left at the last moment makes no session', async () => {
    start({ maxSessions: 1 });
    const client = new AbortController();
    const { state } = decoder;
    Object.defineProperty(decoder, 'state', {
      get: () => {
        client.abort(new Error('client left'));
        return state;
      },
    });
    await expect(open({}, client.signal)).rejects.toThrow('client left');
    expect(await codeOf(() => open())).toBe('nothing thrown');
  });

  it('that failed leaves its memory', async () => {
    start({ memoryBudgetBytes: 160 });
    decoder.onPlane = ({ channel }) => {
      if (channel === 0) return 1;
      throw new AcqError('decode_failed', 'strip 3 is cut');
    };
    for (let i = 0; i < 3; i++) await expect(open()).rejects.toThrow('strip 3 is cut');
    decoder.onPlane = () => 1;
    expect(await codeOf(() => open())).toBe('nothing thrown');
  });
});

describe('the reference', () => {
  beforeEach(() => start({}, info({ reference })));

  it('is part of the session', async () => {
    decoder.onPlane = ({ kind }) => (kind === 'reference' ? 7 : 1);
    const response = await open({ channelIndices: [1] });
    expect(response.reference?.channels).toMatchObject([{ index: 0, name: 'Overview', byteLength: 36 }]);
    expect(await read(response.sessionId, 0, 'reference')).toEqual(new Float32Array(9).fill(7));
    expect(sessions.status(response.sessionId)).toMatchObject({ referenceChannelIndices: [0], totalBytes: 116 });
    expect(await codeOf(() => read(response.sessionId, 1, 'reference'))).toBe('reference_channel_not_found');
  });

  it.each([
    ['damaged', new AcqError('decode_failed', 'a.oib: the thumbnail is cut'), 'a.oib: the thumbnail is cut'],
    ['fatal', new Error('the decode worker has ended'), 'scan.tif: it cannot be read'],
  ])('that is %s does not fail the open', async (_, failure, words) => {
    decoder.onPlane = ({ kind }) => {
      if (kind === 'channel') return 1;
      throw failure;
    };
    const response = await open();
    expect(response.reference).toBeNull();
    expect(response.warnings).toEqual([`${words}. The reference image was skipped.`]);
    expect(sessions.status(response.sessionId)).toMatchObject({ referenceChannelIndices: [], totalBytes: 160 });
    expect(await codeOf(() => read(response.sessionId, 0, 'reference'))).toBe('reference_channel_not_found');
    expect(reported).toEqual([failure]);
  });

  it('that does not fit into memory does not fail the open', async () => {
    start({ memoryBudgetBytes: 195 }, info({ reference }));
    const response = await open();
    expect(response.reference).toBeNull();
    expect(response.warnings).toHaveLength(1);
    expect(decoder.count('plane reference')).toBe(0);
  });

  it('still ends with the deadline', async () => {
    start({ openTimeoutSeconds: 0.02 }, info({ reference }));
    decoder.onPlane = ({ kind }, signal) => (kind === 'channel' ? 1 : untilStopped(signal));
    expect(await codeOf(() => open())).toBe('load_timeout');
  });
});

describe('the time to live', () => {
  it('runs from the open, and reading does not extend it', async () => {
    const { sessionId } = await open();
    clock += 250_000;
    await read(sessionId);
    expect(sessions.status(sessionId).ttlSecondsRemaining).toBe(350);
  });

  it('is over at the moment it is over', async () => {
    const { sessionId } = await open();
    clock += 599_999;
    expect(sessions.status(sessionId).ttlSecondsRemaining).toBe(0.001);
    clock += 1;
    for (const use of [
      () => sessions.status(sessionId),
      () => sessions.renew(sessionId),
      () => sessions.delete(sessionId),
      async () => sessions.planeShape({ sessionId, kind: 'channel', channelIndex: 0 }),
      () => read(sessionId),
    ]) {
      expect(await codeOf(use)).toBe('session_not_found');
    }
  });

  it('starts again with a renewal', async () => {
    const { sessionId } = await open();
    clock += 599_000;
    expect((await sessions.renew(sessionId)).ttlSecondsRemaining).toBe(600);
    clock += 599_000;
    expect(sessions.status(sessionId).ttlSecondsRemaining).toBe(1);
  });
});

describe('the end of a session', () => {
  it('is told once', async () => {
    const { sessionId } = await open();
    expect(await sessions.delete(sessionId)).toEqual({ ok: true, sessionId, deleted: true });
    expect(await codeOf(() => sessions.delete(sessionId))).toBe('session_not_found');
    expect(await codeOf(() => sessions.delete('0'.repeat(32)))).toBe('session_not_found');
  });

  it('frees its memory', async () => {
    start({ memoryBudgetBytes: 160 });
    for (let i = 0; i < 3; i++) {
      const { sessionId } = await open();
      decoder.onPlane = () => {
        throw new Error('must not be decoded');
      };
      await read(sessionId);
      decoder.onPlane = () => 1;
      await sessions.delete(sessionId);
    }
  });

  it('does not touch a read that runs', async () => {
    start({ memoryBudgetBytes: 160 });
    const first = await open();
    await open();
    let release: (value: number) => void = () => {};
    decoder.onPlane = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const reading = read(first.sessionId, 1);
    await expect.poll(() => decoder.count('plane')).toBe(5);
    await sessions.delete(first.sessionId);
    release(9);
    expect(await reading).toEqual(new Float32Array(20).fill(9));
  });
});

describe('the number of sessions', () => {
  it('is limited, opens under way included', async () => {
    start({ maxSessions: 2 });
    const codes = await Promise.all([1, 2, 3].map(() => codeOf(() => open())));
    expect(codes.filter((code) => code === 'capacity_exceeded')).toHaveLength(1);
    expect(await codeOf(() => open())).toBe('capacity_exceeded');
  });

  it('does not count those that have expired', async () => {
    start({ maxSessions: 1 });
    const { sessionId } = await open();
    clock += 600_000;
    expect(await codeOf(() => open())).toBe('nothing thrown');
    expect(await codeOf(() => sessions.status(sessionId))).toBe('session_not_found');
  });

  it('does not count opens that failed', async () => {
    start({ maxSessions: 1 });
    decoder.onPlane = () => {
      throw new AcqError('decode_failed', 'damaged');
    };
    await codeOf(() => open());
    decoder.onPlane = () => 1;
    expect(await codeOf(() => open())).toBe('nothing thrown');
  });
});

describe('planes dropped from memory', () => {
  beforeEach(() => start({ memoryBudgetBytes: 240 }));

  it('are those read longest ago, and come back', async () => {
    const first = await open();
    await read(first.sessionId, 0);
    // Room for 80 bytes is left: channel 1 of the first goes, channel 0 was read since.
    await open();
    expect(decoder.count('plane')).toBe(4);
    await read(first.sessionId, 0);
    expect(decoder.count('plane')).toBe(4);
    decoder.onPlane = () => 3;
    expect(await read(first.sessionId, 1)).toEqual(new Float32Array(20).fill(3));
    expect(decoder.log.slice(-3)).toEqual(['open', 'plane channel 1', 'check']);
  });

  it('do not shorten what the session says of itself', async () => {
    const { sessionId } = await open();
    await open();
    expect(sessions.status(sessionId).totalBytes).toBe(160);
    expect(planeByteLength(sessions.planeShape({ sessionId, kind: 'channel', channelIndex: 0 }))).toBe(80);
  });

  it('are decoded once for all who wait', async () => {
    const { sessionId } = await open();
    await open();
    await open();
    const before = decoder.count('plane');
    await Promise.all([read(sessionId, 0), read(sessionId, 0), read(sessionId, 0)]);
    expect(decoder.count('plane') - before).toBe(1);
  });

  it('come back from the plane that was selected', async () => {
    start(
      { memoryBudgetBytes: 160 },
      { format: 'tif', scenes: [scene, { ...scene, sizes: { T: 3, Z: 4, Y: 5, X: 4 } }] },
    );
    const seen: unknown[] = [];
    decoder.onPlane = (request) => seen.push(request);
    const { sessionId } = await open({ selection: { S: 1, T: 2, Z: 3 }, channelIndices: [1] });
    await open();
    await read(sessionId, 1);
    const wanted = { kind: 'channel', scene: 1, channel: 1, t: 2, z: 3, type: 'float32' };
    expect(seen[0]).toEqual(wanted);
    expect(seen.at(-1)).toEqual(wanted);
  });

  it('are not made up from a file that changed', async () => {
    const { sessionId } = await open();
    await open();
    await open();
    decoder.changesSinceOpen = ['scan.tif was written to'];
    const error = await read(sessionId).catch((thrown: AcqError) => thrown);
    expect(error).toMatchObject({ code: 'source_changed' });
    expect((error as AcqError).message).toContain('scan.tif was written to');
    expect(decoder.count('plane')).toBe(6);
    // The file is back as it was: nothing was kept of the failure.
    decoder.changesSinceOpen = [];
    expect(await codeOf(() => read(sessionId))).toBe('nothing thrown');
  });

  it.each<[string, () => void]>([
    ['has another shape', () => (decoder.info = info({ sizes: { T: 1, Z: 1, Y: 4, X: 5 } }))],
    ['lost a channel', () => (decoder.info = info({ channels: [{ name: 'CH1' }] }))],
    ['gained a file', () => decoder.state.fingerprints.push({ path: '/sidecar.txt', size: 5, mtimeNs: '2', ino: '9' })],
    ['changed during the decode', () => (decoder.state = { ...decoder.state, changes: ['scan.tif is gone'] })],
  ])('are not made up from an acquisition that %s', async (_, change) => {
    const { sessionId } = await open();
    await open();
    await open();
    decoder.state = { ...decoder.state, fingerprints: [...decoder.state.fingerprints] };
    change();
    expect(await codeOf(() => read(sessionId, 1))).toBe('source_changed');
  });

  it('have a deadline too', async () => {
    start({ memoryBudgetBytes: 160, openTimeoutSeconds: 1 });
    const { sessionId } = await open();
    await open();
    decoder.onPlane = (_, signal) => untilStopped(signal);
    expect(await codeOf(() => read(sessionId))).toBe('load_timeout');
  });
});

describe('closing', () => {
  it('ends opens, sessions and the decoder', async () => {
    const { sessionId } = await open();
    decoder.onPlane = (_, signal) => untilStopped(signal);
    const running = codeOf(() => open());
    await expect.poll(() => decoder.count('plane')).toBe(3);
    await sessions.close();
    expect(await running).toBe('capacity_exceeded');
    expect(await codeOf(() => sessions.status(sessionId))).toBe('session_not_found');
    expect(decoder.closed).toBe(true);
    expect(await codeOf(() => open())).toBe('capacity_exceeded');
  });
});
