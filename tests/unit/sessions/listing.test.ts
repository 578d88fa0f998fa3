import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SceneInfo, Step } from '../../../packages/readers/src/model/acquisition.js';
import { SessionService } from '../../../packages/server/src/sessions/service.js';
import { FakeDecoder } from '../../support/fake-decoder.js';
import { directGate } from '../../support/gate.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

const file = writeTemp(tempFolder(), 'scan.tif', 'not looked at');
const pixels: Step = { step: 1, unit: 'Pixels', origin: 'default' };
/** One plane of 80 bytes as float32, two of them over time. */
const scene: SceneInfo = {
  name: 'position 1',
  sampleType: 'float32',
  channels: [{ name: 'CH1' }],
  sizes: { T: 2, Z: 1, Y: 5, X: 4 },
  steps: { T: pixels, Z: pixels, Y: pixels, X: pixels },
  date: '',
  time: '',
  reference: null,
  warnings: [],
};

let clock: number;
let sessions: SessionService;
beforeEach(() => {
  clock = 1_000_000;
  sessions = new SessionService({
    decoder: new FakeDecoder({ format: 'tif', scenes: [scene, { ...scene, name: 'position 2' }] }),
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 10,
    memoryBudgetBytes: 1_000,
    maxPlaneBytes: 1_000,
    openTimeoutSeconds: 60,
    now: () => clock,
  });
});
afterEach(() => sessions.close());

const open = (more: object = {}) => sessions.open({ path: file, options: {}, picked: false, ...more });

describe('the list of sessions', () => {
  it('names the scene, and counts the planes in memory as they come and go', async () => {
    const { sessionId } = await open({ options: { selection: { S: 1 } }, ttlSeconds: 60 });
    const listed = {
      ...{ sessionId, name: 'scan.tif', path: file, api: 'v2' },
      scene: { index: 1, name: 'position 2', count: 2 },
      openedBy: { kind: 'program', origin: undefined },
      ...{ openedAt: 1_000_000, expiresAt: 1_060_000 },
    };
    expect(sessions.list()).toEqual({
      sessions: [{ ...listed, planes: 1, bytes: 80 }],
      usedBytes: 80,
      budgetBytes: 1_000,
    });
    (await sessions.read({ sessionId, kind: 'channel', channelIndex: 0, t: 1 }, 'served')).release();
    expect(sessions.list().sessions).toEqual([{ ...listed, planes: 2, bytes: 160 }]);
    const later = (await open({ options: { decode: 'later' } })).sessionId;
    expect(sessions.list().sessions).toMatchObject([{ sessionId: later, planes: 0, bytes: 0 }, { sessionId }]);
  });

  it('has no session that has expired, was ended, or is of the server itself', async () => {
    const { sessionId } = await open();
    await open({ isWarmUp: true, picked: true });
    expect(sessions.list().sessions).toHaveLength(1);
    clock += 600_000;
    expect(await sessions.endAny(sessionId)).toBe(false);
    expect(sessions.list()).toMatchObject({ sessions: [], usedBytes: 0 });
    const next = (await open()).sessionId;
    expect(await sessions.endAny(next)).toBe(true);
    expect(await sessions.endAny(next)).toBe(false);
    expect(sessions.list().sessions).toEqual([]);
  });

  it('shows who opened each, in one screen of text', async () => {
    await open({ openedBy: { kind: 'trusted-page', origin: `https://${'a'.repeat(10_000)}`, authorized: true } });
    const [{ openedBy } = {}] = sessions.list().sessions;
    expect(openedBy).toEqual({ kind: 'trusted-page', origin: `https://${'a'.repeat(192)}` });
  });
});
