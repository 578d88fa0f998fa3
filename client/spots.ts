import type { Channel } from '#contract/open.js';

/** Samples of one spot: enough noise to be no coincidence, and little to keep and to ask for again. */
const SPOT = 1024;

/** Some samples that were read, by which a file that is opened again is recognized. */
export interface Spot {
  /** Of the channel, after the address of its session. */
  path: string;
  channel: Channel;
  /** Bytes of the plane, both ends included. */
  range: readonly [first: number, last: number];
  samples: Float32Array<ArrayBuffer>;
}

/** Beginning, middle and end of every plane that was read. */
export class Spots {
  readonly #kept = new Map<string, Spot[]>();

  /** `firstByte`: where in the plane `samples` begins. What is known of a plane is kept. */
  keep(path: string, channel: Channel, firstByte: number, samples: Float32Array<ArrayBuffer>): void {
    if (this.#kept.has(path)) return;
    const last = Math.max(0, samples.length - SPOT);
    const starts = [...new Set([0, Math.floor(last / 2), last])];
    const spots = starts.map((start): Spot => {
      const part = samples.slice(start, start + SPOT);
      const first = firstByte + start * 4;
      return { path, channel, range: [first, first + part.byteLength - 1], samples: part };
    });
    this.#kept.set(path, spots);
  }

  all(): Spot[] {
    return [...this.#kept.values()].flat();
  }
}

/** Bit by bit: a NaN is itself. */
export function sameSamples(one: Float32Array<ArrayBuffer>, other: Float32Array<ArrayBuffer>): boolean {
  const [left, right] = [words(one), words(other)];
  return left.length === right.length && left.every((word, i) => word === right[i]);
}

function words({ buffer, byteOffset, length }: Float32Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}
