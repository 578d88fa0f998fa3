/** Planes as float32 and in the type of the file, by their bytes: how they are held is not to be seen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { lineScan } from '../support/oif.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeOib } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
/** Blocks of memory, and pieces of an answer, end inside of rows of so many columns. */
const COLUMNS = 101;
const TYPES: [type: string, dtype: string, Samples: new (length: number) => SampleArray][] = [
  ['uint8', '|u1', Uint8Array],
  ['int8', '|i1', Int8Array],
  ['uint16', '<u2', Uint16Array],
  ['int16', '<i2', Int16Array],
  ['uint32', '<u4', Uint32Array],
  ['float32', '<f4', Float32Array],
  ['float64', '<f8', Float64Array],
];

let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 2, stateDir: folder });
});
afterAll(() => server.close());

/** Returns a plane of a little more than one block of memory. */
function samplesOf(Samples: (typeof TYPES)[number][2]): SampleArray {
  const rows = Math.ceil((1.1 * 2 ** 21) / COLUMNS / new Samples(1).BYTES_PER_ELEMENT);
  const samples = new Samples(rows * COLUMNS);
  const isFloat = samples instanceof Float32Array || samples instanceof Float64Array;
  // Integers wrap around, also to negative ones.
  for (let i = 0; i < samples.length; i++) samples[i] = ((i * 7919) % 65_521) / (isFloat ? 7 : 1);
  return samples;
}

function write(name: string, samples: SampleArray): string {
  const page = { width: COLUMNS, height: samples.length / COLUMNS, samples, rowsPerStrip: 1_000 };
  return writeTemp(folder, `${name}.tif`, writeTiff({ pages: [page] }));
}

async function openPlane(path: string, more: object = {}): Promise<string> {
  const { channels } = await openOk(server.url, { path, ...more });
  return server.url + channels[0]!.dataUrl;
}

async function bytesOf(address: string, headers: Record<string, string> = {}): Promise<[number, Headers, Buffer]> {
  const response = await fetch(address, { headers });
  return [response.status, response.headers, Buffer.from(await response.arrayBuffer())];
}

/** The bytes of numbers, by a `DataView` and not by typed arrays as in the server. */
function float32Bytes(samples: SampleArray): Buffer {
  const bytes = Buffer.alloc(4 * samples.length);
  samples.forEach((sample: number | bigint, i: number) => void bytes.writeFloatLE(Number(sample), 4 * i));
  return bytes;
}

const rawBytes = ({ buffer, byteOffset, byteLength }: SampleArray) => Buffer.from(buffer, byteOffset, byteLength);

describe.each(TYPES)('a plane of %s', (type, dtype, Samples) => {
  const samples = samplesOf(Samples);
  const served = float32Bytes(samples);
  let path: string;
  beforeAll(() => {
    path = write(type, samples);
  });

  it.each(['now', 'later'])('has the same bytes when it is decoded %s', async (decode) => {
    const address = await openPlane(path, { decode });
    const [status, headers, bytes] = await bytesOf(address);
    const { length } = served;
    expect([status, headers.get('content-length'), headers.get('x-array-dtype')]).toEqual([200, `${length}`, '<f4']);
    expect(bytes.equals(served)).toBe(true);
    const [, own, native] = await bytesOf(`${address}?type=native`);
    const shape = `${samples.length / COLUMNS},${COLUMNS}`;
    expect([own.get('x-array-dtype'), own.get('x-array-shape')]).toEqual([dtype, shape]);
    expect(own.get('content-length')).toBe(`${samples.byteLength}`);
    expect(native.equals(rawBytes(samples))).toBe(true);
    const head = await fetch(`${address}?type=native`, { method: 'HEAD' });
    const sizes = [head.headers.get('content-length'), head.headers.get('x-array-dtype')];
    expect(sizes).toEqual([`${samples.byteLength}`, dtype]);
  });

  it('has the bytes of every range, also of ranges that cut samples, blocks and pieces', async () => {
    const address = await openPlane(path);
    for (const [query, bytes] of [
      ['', served],
      ['?type=native', rawBytes(samples)],
    ] as const) {
      const last = bytes.length - 1;
      const piece = 2 ** 18;
      const rowsPerBlock = Math.floor(2 ** 21 / (COLUMNS * samples.BYTES_PER_ELEMENT));
      const block = (rowsPerBlock * COLUMNS * bytes.length) / samples.length;
      for (const [start, end] of [
        [0, 0],
        [1, 2],
        [3, 4],
        [last, last],
        [last - 6, last],
        [piece - 3, piece + 5],
        [1, 2 * piece],
        [2, 3 * piece + 1],
        [block - 7, block + 9],
      ] as const) {
        const [status, headers, part] = await bytesOf(address + query, { range: `bytes=${start}-${end}` });
        expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${bytes.length}`]);
        expect(part.equals(bytes.subarray(start, end + 1)), `${query} ${start}-${end}`).toBe(true);
      }
    }
  });
});

describe('a plane in the type of the file', () => {
  it('cannot be a projection, and says so also to HEAD', async () => {
    const samples = new Uint16Array(6);
    const path = writeTemp(
      folder,
      'stack.ome.tif',
      writeTiff({
        pages: [0, 1].map((i) => ({ width: 3, height: 2, samples, ...(i === 0 && { description: omeOf(2) }) })),
      }),
    );
    const { channels } = await openOk(server.url, { path, projection: { Z: 'max' } });
    const address = `${server.url}${channels[0]!.dataUrl}?type=native`;
    expect((await fetch(address, { method: 'HEAD' })).status).toBe(422);
    const [status, , body] = await bytesOf(address);
    expect([status, JSON.parse(body.toString()).error]).toEqual([422, 'request_validation_failed']);
  });

  it('is not there for reference images, whose samples are float32', async () => {
    const path = writeTemp(folder, 'reference.oib', writeOib(lineScan()));
    const { reference } = await openOk(server.url, { path });
    const address = server.url + reference!.channels[0]!.dataUrl;
    const { byteLength } = reference!.channels[0]!;
    expect((await bytesOf(address))[2].length).toBe(byteLength);
  });
});

describe('a plane that is converted while it is sent', () => {
  it('arrives whole at many clients at once, which read at different speeds', async () => {
    const samples = samplesOf(Uint16Array);
    const expected = float32Bytes(samples);
    const address = await openPlane(write('crowd', samples));
    const read = async (slow: boolean): Promise<boolean> => {
      const response = await fetch(address);
      const parts: Uint8Array[] = [];
      for await (const part of response.body!) {
        parts.push(part);
        if (slow && parts.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return Buffer.concat(parts).equals(expected);
    };
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => read(i % 2 === 0)));
    expect(all).toEqual(all.map(() => true));
  });

  it('is let go of by a client that leaves in the middle, and by one whose session ends', async () => {
    const samples = samplesOf(Uint16Array);
    const address = await openPlane(write('leaving', samples));
    for (let i = 0; i < 5; i++) {
      const client = new AbortController();
      const response = await fetch(address, { signal: client.signal });
      await response.body!.getReader().read();
      client.abort();
    }
    const response = await fetch(address);
    const reader = response.body!.getReader();
    const first = (await reader.read()).value!;
    const session = address.replace(/\/channels.*/, '');
    expect((await fetch(session, { method: 'DELETE' })).status).toBe(200);
    const parts = [first];
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    expect(Buffer.concat(parts).equals(float32Bytes(samples))).toBe(true);
    expect((await fetch(address)).status).toBe(404);
  });
});

function omeOf(sections: number): string {
  return (
    '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">' +
    `<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="3" SizeY="2" SizeZ="${sections}" SizeC="1" SizeT="1">` +
    '<Channel ID="Channel:0:0"/><TiffData/></Pixels></Image></OME>'
  );
}
