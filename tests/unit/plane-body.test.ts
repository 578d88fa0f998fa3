import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { planeBody } from '../../packages/server/src/server/routes/data.js';

const MIB = 2 ** 20;

/** Takes every byte at once, and counts those that come between two turns of the event loop. */
class EagerClient extends Writable {
  bytes = 0;
  mostInTurn = 0;
  private inTurn = 0;
  private readonly nextTurn = () => {
    this.inTurn = 0;
    if (!this.writableFinished) setImmediate(this.nextTurn);
  };

  constructor() {
    super({ highWaterMark: MIB });
    setImmediate(this.nextTurn);
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.bytes += chunk.length;
    this.inTurn += chunk.length;
    this.mostInTurn = Math.max(this.mostInTurn, this.inTurn);
    done();
  }
}

/** A plane of 100 columns in two segments, whose sample i is i, modulo 65,536. */
function ramp(rows: number) {
  const samples = Uint16Array.from({ length: rows * 100 }, (_, i) => i);
  const half = Math.floor(rows / 2);
  const segments = [
    { firstRow: 0, rowCount: half, samples: samples.subarray(0, half * 100) },
    { firstRow: half, rowCount: rows - half, samples: samples.subarray(half * 100) },
  ];
  return { sampleType: 'uint16', rows, columns: 100, segments } as const;
}

async function bytesOf(body: Buffer | Readable): Promise<Buffer> {
  if (!(body instanceof Readable)) return body;
  const parts: Buffer[] = [];
  const client = new Writable({
    write(chunk: Buffer, _, done) {
      // Its memory is used again for the next piece.
      parts.push(Buffer.from(chunk));
      done();
    },
  });
  body.pipe(client);
  await finished(client);
  return Buffer.concat(parts);
}

it.each([
  { name: 'small', rows: 327, isStream: false },
  { name: 'larger', rows: 328, isStream: true },
  { name: 'of several pieces', rows: 6_000, isStream: true },
])('any bytes of a plane that is $name are those of its samples', async ({ rows, isStream }) => {
  const data = ramp(rows);
  const samples = Float32Array.from({ length: rows * 100 }, (_, i) => i % 65_536);
  const all = Buffer.from(samples.buffer);
  const head = Buffer.from('head');
  expect(planeBody(data, 'float32', 0, all.length) instanceof Readable).toBe(isStream);
  for (const [start, end] of [
    [0, all.length],
    [3, all.length - 2],
    [rows * 200 + 1, rows * 200 + 2],
    [5, 5 + rows * 300],
  ] as const) {
    expect((await bytesOf(planeBody(data, 'float32', start, end))).equals(all.subarray(start, end))).toBe(true);
    const headed = await bytesOf(planeBody(data, 'float32', start, end, head));
    expect(headed.equals(Buffer.concat([head, all.subarray(start, end)]))).toBe(true);
  }
});

it('a plane that a client takes as fast as it comes leaves turns to others', async () => {
  const [rows, columns] = [30_000, 512];
  const samples = new Uint16Array(rows * columns).fill(7);
  const data = { sampleType: 'uint16', rows, columns, segments: [{ firstRow: 0, rowCount: rows, samples }] } as const;
  const body = planeBody(data, 'float32', 0, 4 * samples.length);
  if (!(body instanceof Readable)) throw new Error('it is not sent piece by piece');
  const client = new EagerClient();
  body.pipe(client);
  await finished(client);
  expect(client.bytes).toBe(4 * samples.length);
  // Two pieces are on their way at the same time.
  expect(client.mostInTurn).toBeLessThan(5 * MIB);
  expect(client.mostInTurn).toBeGreaterThan(2 * MIB);
});
