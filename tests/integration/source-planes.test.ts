/** Planes of any scene in the file's own type, decoded by real workers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { halve, levelShapes } from '../../packages/readers/src/derive/zarr/levels.js';
import type { PlaneData, SourceData } from '../../packages/readers/src/model/samples/plane-data.js';
import { planeByteLength, slicePlane } from '../../packages/readers/src/model/samples/plane-data.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { DecodePool } from '../../packages/server/src/decode/pool.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { SessionService } from '../../packages/server/src/sessions/service.js';
import type { SourcePlane } from '../../packages/server/src/sessions/source-order.js';
import { Sources } from '../../packages/server/src/sessions/sources.js';
import { directGate } from '../support/gate.js';
import { frames } from '../support/oif.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const sessions = new SessionService({
  decoder: new DecodePool({ workers: 1, queue: 64, coldStart: true }),
  gate: directGate(),
  roots: [],
  allowedExtensions: ['.tif', '.oif'],
  sessionTtlSeconds: 600,
  maxSessionTtlSeconds: 86_400,
  maxSessions: 64,
  memoryBudgetBytes: 2 ** 26,
  maxPlaneBytes: 2 ** 25,
  openTimeoutSeconds: 60,
});
const sources = new Sources(sessions);
afterAll(() => sessions.close());

const open = async (path: string, decode: 'now' | 'later' = 'later') =>
  (await sessions.open({ path, options: { decode }, picked: true })).sessionId;
const bytesOf = (data: SourceData | PlaneData) => Buffer.concat(slicePlane(data, 0, planeByteLength(data)));

async function read(
  { sessionId, ...plane }: Partial<SourcePlane> & { sessionId: string },
  form: 'native' | 'levels' = 'native',
): Promise<[shape: string, Buffer]> {
  const place = { scene: 0, kind: 'channel', channelIndex: 0, t: 0, z: 0 } as const;
  const { data, release } = await sources.plane(sessionId, { ...place, ...plane }, form);
  const bytes = bytesOf(data);
  release();
  return [`${data.sampleType} ${data.rows}×${data.columns}`, bytes];
}

/** Reads a plane without sessions or workers. */
async function readAlone(path: string, channel = 0, t = 0, z = 0): Promise<NativeTarget> {
  const { acquisition, close } = await openAcquisition(path);
  const { sampleType, sizes } = acquisition.info.scenes[0]!;
  const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
  await acquisition.readPlane({ scene: 0, channel, t, z }, target);
  close();
  return target;
}

describe('a plane in the type of its file', () => {
  it('has the exact samples, and is the plane that is served', async () => {
    const samples = Uint16Array.from({ length: 7 * 5 }, (_, i) => 60_000 + i);
    const path = writeTemp(folder, 'small.tif', writeTiff({ pages: [{ width: 5, height: 7, samples }] }));
    const sessionId = await open(path, 'now');
    expect(await read({ sessionId })).toEqual(['uint16 7×5', Buffer.from(samples.buffer)]);
    const served = await sessions.read({ sessionId, kind: 'channel', channelIndex: 0 }, 'served');
    expect(bytesOf(served.data)).toEqual(Buffer.from(samples.buffer));
    served.release();
  });

  it('comes from any time point and section, also from files that the open did not read', async () => {
    mkdirSync(join(folder, 'oif'), { recursive: true });
    const path = writeOif(join(folder, 'oif', 'frames'), frames());
    const sessionId = await open(path);
    for (const [channelIndex, t, z] of [
      [0, 0, 0],
      [1, 1, 2],
      [0, 1, 1],
    ] as const) {
      const { data } = await readAlone(path, channelIndex, t, z);
      const [, bytes] = await read({ sessionId, channelIndex, t, z });
      expect(bytes).toEqual(Buffer.from(data.buffer));
    }
    const info = await sources.info(sessionId);
    expect(info.scenes.map(({ sizes }) => [sizes.T, sizes.Z])).toEqual([[2, 3]]);
  });

  it.each([
    [{ scene: 1 }, 'selection_out_of_range'],
    [{ t: 1 }, 'selection_out_of_range'],
    [{ z: 1 }, 'selection_out_of_range'],
    [{ channelIndex: 1 }, 'channel_not_found'],
    [{ kind: 'reference' as const }, 'reference_channel_not_found'],
  ])('does not exist at %j', async (place, code) => {
    const page = { width: 1, height: 1, samples: Uint8Array.of(7) };
    const sessionId = await open(writeTemp(folder, 'one.tif', writeTiff({ pages: [page] })));
    await expect(read({ sessionId, ...place })).rejects.toMatchObject({ code });
  });

  it('leaves nothing in memory when its session ends while the file is read', async () => {
    const page = { width: 1, height: 1, samples: Uint8Array.of(7) };
    const sessionId = await open(writeTemp(folder, 'gone.tif', writeTiff({ pages: [page] })));
    const reading = read({ sessionId });
    void sessions.delete(sessionId);
    await expect(reading).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('the native plane of integers', () => {
  const place = { kind: 'channel', channelIndex: 0 } as const;
  const numbers = async (sessionId: string) => {
    const { data, release } = await sessions.read({ sessionId, ...place }, 'native');
    const values = data.segments.flatMap(({ samples }) => [...samples].map(Number));
    release();
    return { held: data.sampleType, values };
  };

  it.each([
    ['uint8', Uint8Array.of(0, 255, 7)],
    ['int8', Int8Array.of(-128, 127, -1)],
    ['uint16', Uint16Array.of(0, 65_535, 7)],
    ['int16', Int16Array.of(-32_768, 32_767, -1)],
  ])('of %s is the plane that is served', async (type, samples) => {
    const path = writeTemp(folder, `held-${type}.tif`, writeTiff({ pages: [{ width: 3, height: 1, samples }] }));
    const values = [...samples];
    for (const decode of ['later', 'now'] as const) {
      const sessionId = await open(path, decode);
      expect(await numbers(sessionId)).toEqual({ held: type, values });
      const bytes = samples.byteLength;
      expect(sessions.list().sessions.find((one) => one.sessionId === sessionId)).toMatchObject({ planes: 1, bytes });
      const served = await sessions.read({ sessionId, ...place }, 'served');
      expect(served.data.segments[0]?.samples).toEqual(samples);
      served.release();
      expect(sessions.list().sessions.find((one) => one.sessionId === sessionId)).toMatchObject({ planes: 1, bytes });
    }
  });

  it('of 32 bits is decoded, because float32 does not have all of its numbers', async () => {
    const samples = Uint32Array.of(16_777_217);
    const path = writeTemp(folder, 'wide.tif', writeTiff({ pages: [{ width: 1, height: 1, samples }] }));
    const wide = { held: 'uint32', values: [16_777_217] };
    expect(await numbers(await open(path, 'now'))).toEqual(wide);
  });
});

describe('the reduced levels of a plane', () => {
  it('are means of means, one level after the other', async () => {
    const [rows, columns] = [4200, 37];
    const samples = Uint16Array.from({ length: rows * columns }, (_, i) => (i * 7919) % 65_521);
    const page = { width: columns, height: rows, samples, compression: 8 as const, rowsPerStrip: 90 };
    const sessionId = await open(writeTemp(folder, 'tall.tif', writeTiff({ pages: [page] })));
    const shapes = levelShapes(rows, columns);
    const levels: Buffer[] = [];
    let above: Uint16Array = samples;
    for (const shape of shapes.slice(0, -1)) {
      above = halve(above, shape.rows, shape.columns);
      levels.push(Buffer.from(above.buffer, above.byteOffset, above.byteLength));
    }
    const expected = Buffer.concat(levels);
    expect(levels.length).toBeGreaterThan(1);
    const [shape, bytes] = await read({ sessionId }, 'levels');
    expect(shape).toBe(`uint16 ${expected.length / 2}×1`);
    expect(bytes.equals(expected)).toBe(true);
  });
});
