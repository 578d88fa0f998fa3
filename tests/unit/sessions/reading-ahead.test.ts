import { afterEach, describe, expect, it } from 'vitest';
import type { AcquisitionInfo, SceneInfo, Step } from '../../../packages/readers/src/model/acquisition.js';
import type { Decoder } from '../../../packages/server/src/decode/types.js';
import { SessionService } from '../../../packages/server/src/sessions/service.js';
import { FakeDecoder } from '../../support/fake-decoder.js';
import { directGate } from '../../support/gate.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

const file = writeTemp(tempFolder(), 'scan.tif', 'not looked at');
const pixels: Step = { step: 1, unit: 'Pixels', origin: 'default' };
const steps = { T: pixels, Z: pixels, Y: pixels, X: pixels };

const running: SessionService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((sessions) => sessions.close()));
});

/** Opens nine time points of square planes of float32, and a reference. @returns what reads a plane, and counts what is read ahead */
async function open(side: number) {
  const reference: NonNullable<SceneInfo['reference']> = {
    ...{
      sampleType: 'float32',
      channels: [{ name: 'Overview' }],
      sizes: { Y: 3, X: 3 },
      steps: { Y: pixels, X: pixels },
    },
    ...{ lineRoi: null, scanPath: null },
  };
  const scene: SceneInfo = {
    ...{ name: '', sampleType: 'float32', channels: [{ name: 'CH1' }], sizes: { T: 9, Z: 1, Y: side, X: side }, steps },
    ...{ date: '', time: '', reference, warnings: [] },
  };
  const info: AcquisitionInfo = { format: 'tif', scenes: [scene] };
  let ahead = 0;
  const fake = new FakeDecoder(info);
  const decoder: Decoder = {
    lease: (options, work) => fake.lease(options, work),
    tryLease: (options, work) => {
      ahead++;
      return fake.lease(options, work);
    },
    letGo: (keep) => fake.letGo(keep),
    ready: () => fake.ready(),
    close: () => fake.close(),
  };
  const sessions = new SessionService({
    decoder: { ...decoder, occupancy: { busy: 0, idle: 2, stuck: 0, waiting: 0 } },
    gate: directGate(),
    roots: [],
    allowedExtensions: ['.tif'],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 10,
    memoryBudgetBytes: 2 ** 30,
    maxPlaneBytes: 2 ** 30,
    openTimeoutSeconds: 60,
  });
  running.push(sessions);
  const { sessionId } = await sessions.open({ path: file, options: { decode: 'later' }, picked: false });
  const read = async (kind: 'channel' | 'reference', t?: number) => {
    const address = { sessionId, kind, channelIndex: 0, ...(t === undefined ? {} : { t }) };
    (await sessions.read(address, 'served')).release();
  };
  return { read, ahead: () => ahead };
}

describe('reading ahead', () => {
  it('goes on for a client that looks at the reference in between', async () => {
    const { read, ahead } = await open(4);
    for (let t = 0; t < 3; t++) {
      await read('channel', t);
      await read('reference');
    }
    expect(ahead()).toBe(2);
  });

  it.each([
    ['32 MiB', 2896, 2],
    ['more', 2897, 0],
  ])('takes planes of %s: %i² samples', async (_size, side, planes) => {
    const { read, ahead } = await open(side);
    for (let t = 0; t < 3; t++) await read('channel', t);
    expect(ahead()).toBe(planes);
  });
});
