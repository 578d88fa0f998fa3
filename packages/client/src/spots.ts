import type { Channel } from './contract/open.js';
import type { NativeSamples } from './plane-body.js';

/** Samples per spot: enough noise to rule out a coincidence, but little to keep and to request again. */
const SPOT_LENGTH = 1024;

/** Planes with spots: a stack that is played would otherwise keep some of each, and read all of them again. */
const MAX_PLANES = 24;

/** Samples that were read, to recognize the file when it is opened again. */
interface Spot {
  /** Path of the channel, relative to its session. */
  path: string;
  channel: Channel;
  /** Byte range in the plane, both ends included. */
  range: readonly [first: number, last: number];
  samples: Float32Array<ArrayBuffer>;
}

/** Keeps the start, middle and end of the first planes that were read. */
export class Spots {
  readonly #spots = new Map<string, Spot[]>();

  /** Keeps spots of a plane that is not known yet. `samples` start at `firstByte` of the plane as float32. */
  keep(path: string, channel: Channel, firstByte: number, samples: SmallSamples): void {
    if (this.#spots.has(path) || this.#spots.size >= MAX_PLANES) return;
    const last = Math.max(0, samples.length - SPOT_LENGTH);
    const starts = [...new Set([0, Math.floor(last / 2), last])];
    const spots = starts.map((start): Spot => {
      const spot = samples.slice(start, start + SPOT_LENGTH);
      const part = spot instanceof Float32Array ? spot : new Float32Array(spot);
      const first = firstByte + start * 4;
      return { path, channel, range: [first, first + part.byteLength - 1], samples: part };
    });
    this.#spots.set(path, spots);
  }

  all(): Spot[] {
    return [...this.#spots.values()].flat();
  }
}

/** Samples that float32 has exactly. */
type SmallSamples = Extract<
  NativeSamples,
  | Float32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
>;

export function isSmall(samples: NativeSamples): samples is SmallSamples {
  return samples instanceof Float32Array || samples.BYTES_PER_ELEMENT <= 2;
}

/** Compares the bits of samples, so that NaN equals NaN. */
export function sameSamples(a: Float32Array<ArrayBuffer>, b: Float32Array<ArrayBuffer>): boolean {
  const [left, right] = [words(a), words(b)];
  return left.length === right.length && left.every((word, i) => word === right[i]);
}

function words({ buffer, byteOffset, length }: Float32Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}
