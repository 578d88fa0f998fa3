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
