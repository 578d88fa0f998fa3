/** Interleaved channels without compression: all of them are read from the file once. */
import type * as fs from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAt } from '../../packages/server/src/open.js';
import { lineScan } from '../support/lsm.js';
import { timeSeries } from '../support/nd2.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { dims, PIXEL_TYPES, writeCzi } from '../writers/czi.js';
import { writeLsm } from '../writers/lsm.js';
import { writeNd2 } from '../writers/nd2.js';
import { writeTiff } from '../writers/tiff.js';

const io = vi.hoisted(() => ({ bytes: 0 }));
vi.mock('node:fs', async (load) => {
  const actual = await load<typeof fs>();
  const readSync = (...args: Parameters<typeof fs.readSync>) => {
    const count = actual.readSync(...args);
    io.bytes += count;
    return count;
  };
  return { ...actual, readSync };
});

const folder = tempFolder();
const ROWS = 700;
const COLUMNS = 512;

/** Reads channels in the order given. Returns their samples, and the bytes that were read from the file. */
async function readTogether({ info, readChannels }: Acquisition, channels: readonly number[]) {
  const { sampleType } = info.scenes[0]!;
  const targets = channels.map(() => new NativeTarget(sampleType, ROWS, COLUMNS));
  io.bytes = 0;
  await readChannels!({ scene: 0, t: 0, z: 0 }, channels, targets);
  return { samples: targets.map(({ data }) => data), bytes: io.bytes };
}

async function readAlone({ info, readPlane }: Acquisition, channel: number) {
  const target = new NativeTarget(info.scenes[0]!.sampleType, ROWS, COLUMNS);
  io.bytes = 0;
  await readPlane({ scene: 0, channel, t: 0, z: 0 }, target);
  return { samples: target.data, bytes: io.bytes };
}

const rgb = () => {
  const samples = [3, 7, 11].map((step) => Uint8Array.from({ length: ROWS * COLUMNS }, (_, i) => (i * step) % 251));
  return writeTiff({ pages: [{ width: COLUMNS, height: ROWS, photometric: 2, rowsPerStrip: 64, samples }] });
};
const nd2 = () => {
  const value = (y: number, x: number, c: number) => (y * COLUMNS + 7 * x + 31 * c) % 65_521;
  return writeNd2(timeSeries({ width: COLUMNS, height: ROWS, frames: [{ number: 0, time: 0, value }] }));
};

const czi = () => {
  const data = Uint8Array.from({ length: ROWS * COLUMNS * 3 }, (_, i) => (i * 7) % 251);
  return writeCzi({ blocks: [{ dims: dims({ X: COLUMNS, Y: ROWS, C: 1 }), pixelType: PIXEL_TYPES.Bgr24, data }] });
};
const lsm = () => {
  const spec = lineScan({ interleaved: true, width: COLUMNS, rows: ROWS });
  return writeLsm({ ...spec, info: { ...spec.info, X: COLUMNS, T: ROWS } });
};

describe.each([
  { name: 'color.czi', write: czi, channels: [2, 0, 1], dataBytes: ROWS * COLUMNS * 3 },
  { name: 'pair.lsm', write: lsm, channels: [1, 0], dataBytes: ROWS * COLUMNS * 4 },
  { name: 'rgb.tif', write: rgb, channels: [2, 0, 1], dataBytes: ROWS * COLUMNS * 3 },
  { name: 'pair.nd2', write: nd2, channels: [1, 0], dataBytes: ROWS * COLUMNS * 4 },
])('$name', ({ name, write, channels, dataBytes }) => {
  it('is read once for all channels, and once for each that is read alone', async () => {
    const { acquisition, close } = await openAt({ path: writeTemp(folder, name, write()) });
    expect(acquisition.readsOnce?.(0)).toBe(true);
    const together = await readTogether(acquisition, channels);
    expect(together.bytes).toBeGreaterThanOrEqual(dataBytes);
    expect(together.bytes).toBeLessThan(1.02 * dataBytes);
    for (const [i, channel] of channels.entries()) {
      const alone = await readAlone(acquisition, channel);
      expect(alone.bytes).toBeGreaterThanOrEqual(dataBytes);
      expect(Buffer.compare(new Uint8Array(together.samples[i]!.buffer), new Uint8Array(alone.samples.buffer))).toBe(0);
    }
    close();
  });
});

it('channels that are pages of their own are read one after the other', async () => {
  const pages = [1, 2].map((value) => ({
    width: COLUMNS,
    height: ROWS,
    samples: new Uint16Array(ROWS * COLUMNS).fill(value),
  }));
  const { acquisition, close } = await openAt({ path: writeTemp(folder, 'pages.tif', writeTiff({ pages })) });
  expect(acquisition.readsOnce?.(0)).toBe(false);
  const { samples } = await readTogether(acquisition, [0]);
  expect(samples[0]!.every((sample) => sample === 1)).toBe(true);
  close();
});
