/** Sessions of one acquisition in one state share its planes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import type { AcquisitionInfo, Step } from '../../../packages/readers/src/model/acquisition.js';
import type { Fingerprint } from '../../../packages/server/src/platform-node/file-source.js';
import { SessionService } from '../../../packages/server/src/sessions/service.js';
import type { SessionServiceOptions } from '../../../packages/server/src/sessions/service-options.js';
import type { OpenSessionRequest } from '../../../packages/server/src/sessions/types.js';
import { FakeDecoder, untilStopped } from '../../support/fake-decoder.js';
import { directGate } from '../../support/gate.js';
import { takeSamples } from '../../support/planes.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

const file = writeTemp(tempFolder(), 'scan.tif', 'not looked at');
const pixels: Step = { step: 1, unit: 'Pixels', origin: 'default' };
const HEAD: Fingerprint = { path: '/head', size: 1, mtimeNs: '1', ino: 'same' };
const PART: Fingerprint = { path: '/part', size: 1, mtimeNs: '1', ino: '2' };

/** Two channels of 5 × 4 pixels, 80 bytes each as float32, at three depths. */
const info: AcquisitionInfo = {
  format: 'tif',
  scenes: [
    {
      name: '',
      sampleType: 'float32',
      channels: [{ name: 'CH1' }, { name: 'CH2' }],
      sizes: { T: 1, Z: 3, Y: 5, X: 4 },
      steps: { T: pixels, Z: pixels, Y: pixels, X: pixels },
      date: '',
      time: '',
      reference: null,
      warnings: [],
    },
  ],
};

let decoder: FakeDecoder;
let sessions: SessionService;

function start(options: Partial<SessionServiceOptions> = {}): void {
  decoder = new FakeDecoder(info);
  decoder.isOneContent = true;
  decoder.state = { fingerprints: [HEAD], changes: [] };
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
    ...options,
  });
}

beforeEach(() => start());
afterEach(() => sessions.close());

const open = (options: OpenSessionRequest['options'] = {}, more: Partial<OpenSessionRequest> = {}) =>
  sessions.open({ path: file, options, picked: false, ...more });
const read = async (sessionId: string, channelIndex = 0, more: { z?: number; api?: 'v1' | 'v2' } = {}) =>
  takeSamples(await sessions.read({ sessionId, kind: 'channel', channelIndex, ...more }, 'served'))[0];
const codeOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'nothing thrown',
    (error: AcqError) => error.code ?? error.message,
  );

/** A decode that the test ends. */
function controlled() {
  let end: (value: number | Promise<number>) => void = () => {};
  const promise = new Promise<number>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

describe('an open of planes that another session has', () => {
  it('decodes none of them, but opens and compares the file', async () => {
    const first = await open();
    decoder.log.length = 0;
    const second = await open();
    expect(decoder.log).toEqual(['open', 'close']);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(second.source.revision).toBe(first.source.revision);
    expect(await read(second.sessionId, 1)).toBe(1);
  });

  it('decodes those that it lacks', async () => {
    await open({ channelIndices: [1] });
    decoder.log.length = 0;
    await open({ channelIndices: [0, 1] });
    await open({ channelIndices: [0], selection: { Z: 2 } });
    expect(decoder.log.filter((entry) => entry.startsWith('plane'))).toEqual(['plane channel 0', 'plane channel 0']);
  });

  it('is the same for sessions of API v1, and of decode: "later"', async () => {
    const later = await open({ decode: 'later' });
    await read(later.sessionId, 0, { z: 1 });
    const first = await open({}, { api: 'v1' });
    expect(decoder.count('plane')).toBe(3);
    await open({ channelIndices: [0], selection: { Z: 1 } });
    expect(await read(later.sessionId)).toBe(1);
    expect(await read(first.sessionId, 1, { api: 'v1' })).toBe(1);
    expect(decoder.count('plane')).toBe(3);
  });

  it('takes no memory for them', async () => {
    start({ memoryBudgetBytes: 160 });
    const opened = await Promise.all([open(), open(), open()]);
    for (const { sessionId } of opened) for (const channel of [0, 1]) await read(sessionId, channel);
    expect(decoder.count('plane')).toBe(2);
    expect(await codeOf(open({ selection: { Z: 1 } }))).toBe('nothing thrown');
  });

  it('is refused like any other when they can never fit', async () => {
    start({ memoryBudgetBytes: 159 });
    await open({ channelIndices: [0] });
    expect(await codeOf(open())).toBe('plane_too_large');
  });

  it('fails when the file changes meanwhile', async () => {
    await open();
    decoder.state = { ...decoder.state, changes: ['scan.tif was modified'] };
    expect(await codeOf(open())).toBe('decode_failed');
  });

  it('decodes its own when the file is another one, also with the same name, size and time', async () => {
    const first = await open();
    decoder.isOneContent = false;
    decoder.state = { fingerprints: [{ ...HEAD, ino: '1' }], changes: [] };
    decoder.onPlane = () => 2;
    const second = await open();
    expect([await read(first.sessionId), await read(second.sessionId)]).toEqual([1, 2]);
  });
});

describe('a shared plane', () => {
  it('stays when one of its sessions ends, and goes with the last one', async () => {
    start({ memoryBudgetBytes: 160 });
    const [first, second] = [await open(), await open()];
    await sessions.delete(first.sessionId);
    decoder.onPlane = () => 2;
    expect(await read(second.sessionId)).toBe(1);
    await sessions.delete(second.sessionId);
    expect(await read((await open()).sessionId)).toBe(2);
  });

  it('keeps the file open for its sessions until the last one ends', async () => {
    const [first, second] = [await open(), await open()];
    await sessions.delete(first.sessionId);
    expect(decoder.letGoOf).toEqual([]);
    await sessions.delete(second.sessionId);
    expect(decoder.letGoOf).toHaveLength(1);
  });
});

describe('two opens at once', () => {
  it('share one decode', async () => {
    const decode = controlled();
    decoder.onPlane = () => decode.promise;
    const opening = [open(), open()];
    await expect.poll(() => decoder.count('close')).toBe(1);
    decode.end(7);
    const [first, second] = await Promise.all(opening);
    expect([decoder.count('plane'), decoder.count('open')]).toEqual([2, 2]);
    expect(second!.source.revision).toBe(first!.source.revision);
    for (const { sessionId } of [first!, second!]) expect(await read(sessionId, 1)).toBe(7);
  });

  it.each<[string, (client: AbortController, decode: ReturnType<typeof controlled>) => void, string]>([
    ['loses its client', (client) => client.abort(new Error('client left')), 'client left'],
    [
      'fails',
      (_, decode) => decode.end(Promise.reject(new AcqError('capacity_exceeded', 'memory'))),
      'capacity_exceeded',
    ],
  ])('do not both fail when the first one %s', async (_, end, code) => {
    start({ memoryBudgetBytes: 320 });
    const decode = controlled();
    const client = new AbortController();
    decoder.onPlane = (_request, signal) =>
      decoder.count('plane') === 1 ? Promise.race([decode.promise, untilStopped(signal)]) : 5;
    const first = codeOf(open({}, { signal: client.signal }));
    await expect.poll(() => decoder.count('plane')).toBe(1);
    const second = open();
    await expect.poll(() => decoder.count('close')).toBe(1);
    end(client, decode);
    expect(await first).toBe(code);
    expect(await read((await second).sessionId)).toBe(5);
    // Nothing is left of the first one.
    expect(await codeOf(open({ selection: { Z: 1 } }))).toBe('nothing thrown');
  });

  it('do not get planes of a file that changed while the first one decoded them', async () => {
    const decode = controlled();
    decoder.onPlane = () => (decoder.count('plane') === 1 ? decode.promise : 5);
    const first = open();
    await expect.poll(() => decoder.count('plane')).toBe(1);
    const second = open();
    await expect.poll(() => decoder.count('close')).toBe(1);
    const { state } = decoder;
    decoder.state = { ...state, changes: ['scan.tif was modified'] };
    decoder.onPlane = () => {
      // They open the file again: it is what it was.
      if (decoder.count('open') === 3) decoder.state = state;
      return 5;
    };
    decode.end(3);
    expect(await read((await first).sessionId)).toBe(5);
    expect(await read((await second).sessionId)).toBe(5);
  });

  it('share with a reader, too: neither fails with the other', async () => {
    const later = await open({ decode: 'later' });
    const decode = controlled();
    const client = new AbortController();
    decoder.onPlane = (_request, signal) =>
      decoder.count('plane') === 1 ? Promise.race([decode.promise, untilStopped(signal)]) : 5;
    const opening = codeOf(open({}, { signal: client.signal }));
    await expect.poll(() => decoder.count('plane')).toBe(1);
    const reading = read(later.sessionId);
    client.abort(new Error('client left'));
    expect(await opening).toBe('client left');
    expect(await reading).toBe(5);
  });
});

describe('an acquisition in several files', () => {
  /** Every plane is in a file that the open has not read before. */
  beforeEach(() => {
    decoder.isWhole = false;
    decoder.state = { fingerprints: [HEAD, PART], changes: [] };
  });

  it('is shared by opens that read the same files', async () => {
    const first = await open();
    const second = await open();
    expect(decoder.count('plane')).toBe(2);
    expect(second.source.revision).toBe(first.source.revision);
  });

  it('is read again by other opens: their revision is about other files', async () => {
    const first = await open();
    decoder.state = { fingerprints: [HEAD], changes: [] };
    const second = await open({ channelIndices: [0] });
    expect(decoder.count('plane')).toBe(3);
    expect(second.source.revision).not.toBe(first.source.revision);
    const third = await open({ channelIndices: [0] });
    expect(decoder.count('plane')).toBe(3);
    expect(third.source.revision).toBe(second.source.revision);
    expect(await read(first.sessionId)).toBe(1);
  });

  it('is read again when one of the files changed that others have read', async () => {
    const first = await open();
    decoder.changedFiles.add(PART.path);
    decoder.state = { fingerprints: [HEAD, { ...PART, mtimeNs: '9' }], changes: [] };
    decoder.onPlane = () => 2;
    const second = await open();
    expect(second.source.revision).not.toBe(first.source.revision);
    // Both have what they had when they were opened.
    expect([await read(first.sessionId), await read(second.sessionId)]).toEqual([1, 2]);
  });

  it('is shared by opens at once, which have the same revision', async () => {
    const decode = controlled();
    decoder.onPlane = () => decode.promise;
    const opening = [open(), open()];
    await expect.poll(() => decoder.count('close')).toBe(1);
    decode.end(7);
    const [first, second] = await Promise.all(opening);
    expect(decoder.count('plane')).toBe(2);
    expect(second!.source.revision).toBe(first!.source.revision);
  });
});
