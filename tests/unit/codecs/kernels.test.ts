import Blosc from 'numcodecs/blosc';
import LZ4 from 'numcodecs/lz4';
import { beforeAll, describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import { decodeBloscLzInTypeScript } from '../../../packages/readers/src/codecs/blosclz.js';
import { decodeLz4InTypeScript } from '../../../packages/readers/src/codecs/lz4.js';
import { decodeLzfInTypeScript } from '../../../packages/readers/src/codecs/lzf.js';
import { decodeSnappyInTypeScript } from '../../../packages/readers/src/codecs/snappy.js';
import { bitUnshuffleInTypeScript, unshuffleInTypeScript } from '../../../packages/readers/src/codecs/unshuffle.js';
import { KernelHost, type Kernels } from '../../../packages/readers/src/simd/kernels.js';
import { undoDifferencing, undoInTypeScript } from '../../../packages/readers/src/tiff/predictor.js';
import { mutate, randomNumbers } from '../../hostile/mutate.js';

type Decode = (data: Uint8Array, out: Uint8Array) => number;
const LENGTH = 6000;
/** Canary after the output, in the caller's memory. */
const CANARY = 0xa5;

const host = new KernelHost();
let kernels: Kernels;
beforeAll(() => {
  kernels = host.forBlock(0, 0)!;
});

/** Bytes with matches of every distance, and runs. */
function content(seed: number, length = LENGTH): Uint8Array {
  const random = randomNumbers(seed);
  const out = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const count = Math.min(length - at, 1 + Math.floor(random() ** 3 * 400));
    const distance = 1 + Math.floor(random() ** 2 * Math.min(at, 5000));
    const isMatch = at > 0 && random() < 0.6;
    for (let i = 0; i < count; i++, at++) out[at] = isMatch ? out[at - distance]! : Math.floor(random() * 256);
  }
  return out;
}

/** Compresses with c-blosc. Its block has a stream for each quarter: this is the first one. */
async function bloscStream(cname: string, data: Uint8Array): Promise<Uint8Array> {
  const block = Buffer.concat([data, data, data, data]);
  const chunk = new Uint8Array(
    await Blosc.fromConfig({ id: 'blosc', cname, shuffle: 0, clevel: 9, blocksize: block.length }).encode(block),
  );
  const view = new DataView(chunk.buffer);
  const at = view.getUint32(16, true);
  return chunk.subarray(at + 4, at + 4 + view.getInt32(at, true));
}

/** Compresses with matches at the distance that fits best, of some that are tried. */
function encodeLzf(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let at = 0; at < data.length; ) {
    let [length, distance] = [0, 0];
    for (let tried = 1; tried <= Math.min(at, 600); tried++) {
      let same = 0;
      while (same < 264 && at + same < data.length && data[at + same] === data[at + same - tried]) same++;
      if (same > length) [length, distance] = [same, tried];
    }
    if (length > 2) {
      const high = (distance - 1) >> 8;
      const head = length < 9 ? [((length - 2) << 5) | high] : [(7 << 5) | high, length - 9];
      out.push(...head, (distance - 1) & 255);
      at += length;
    } else {
      const count = Math.min(5, data.length - at);
      out.push(count - 1, ...data.subarray(at, at + count));
      at += count;
    }
  }
  return Uint8Array.from(out);
}

/** Bytes of the length in front of a Snappy stream of `LENGTH` bytes. */
const SNAPPY_HEAD = 2;

const CODECS: {
  codec: 'lz4' | 'snappy' | 'blosclz' | 'lzf';
  encode: (data: Uint8Array) => Promise<Uint8Array>;
  decode: Decode;
}[] = [
  {
    codec: 'lz4',
    encode: async (data) => new Uint8Array(await LZ4.fromConfig({ id: 'lz4' }).encode(data)).subarray(4),
    decode: (data, out) => decodeLz4InTypeScript(data, 0, data.length, out, 0, out.length),
  },
  {
    codec: 'snappy',
    encode: async (data) => (await bloscStream('snappy', data)).subarray(SNAPPY_HEAD),
    decode: (data, out) => decodeSnappyInTypeScript(data, 0, out, 0, out.length),
  },
  {
    codec: 'blosclz',
    encode: (data) => bloscStream('blosclz', data),
    decode: (data, out) => decodeBloscLzInTypeScript(data, out, 0, out.length),
  },
  {
    codec: 'lzf',
    encode: async (data) => encodeLzf(data),
    decode: decodeLzfInTypeScript,
  },
];

/** Runs a decoder. Returns its output, or `refused`. */
function outcome(decode: Decode, data: Uint8Array, length: number): string {
  const memory = new Uint8Array(length + 64).fill(CANARY);
  try {
    const done = decode(data, memory.subarray(0, length));
    expect(memory.subarray(length).every((byte) => byte === CANARY)).toBe(true);
    return done < 0 ? 'refused' : Buffer.from(memory.subarray(0, done)).toString('latin1');
  } catch (error) {
    expect(error).toBeInstanceOf(AcqError);
    return 'refused';
  }
}

describe.each(CODECS)('$codec with vectors', ({ codec, encode, decode }) => {
  const vectors: Decode = (data, out) => kernels.decode(codec, data, out, 0, out.length);

  it('equals the loop in TypeScript for valid and damaged data', async () => {
    const outcomes = { decoded: 0, refused: 0 };
    for (let seed = 1; seed <= 12; seed++) {
      const packed = await encode(content(seed));
      for (let change = 0; change < 60; change++) {
        const data = change === 0 ? packed : mutate(packed, seed * 100 + change);
        const length = change % 10 === 9 ? LENGTH - 1 : LENGTH;
        const expected = outcome(decode, data, length);
        expect(outcome(vectors, data, length) === expected, `seed ${seed}, change ${change}`).toBe(true);
        outcomes[expected === 'refused' ? 'refused' : 'decoded']++;
      }
    }
    expect(outcomes.decoded).toBeGreaterThan(20);
    expect(outcomes.refused).toBeGreaterThan(20);
  });

  it('refuses random bytes where the loop in TypeScript does', () => {
    const random = randomNumbers(5);
    for (let i = 0; i < 1500; i++) {
      const data = Uint8Array.from({ length: Math.floor(random() * 120) }, () =>
        random() < 0.3 ? 255 : Math.floor(random() * 256) & (random() < 0.5 ? 255 : 7),
      );
      const length = Math.floor(random() * 300);
      expect(outcome(vectors, data, length) === outcome(decode, data, length), data.join(' ')).toBe(true);
    }
  });

  it('decodes to its own memory without touching what lies before the block', async () => {
    const data = content(3);
    const packed = await encode(data);
    const memory = kernels.bytes(kernels.reserve(packed.length, LENGTH + 100).output, LENGTH + 100).fill(CANARY);
    const done = kernels.decode(codec, packed, memory, 100, LENGTH + 100);
    expect(done).toBe(LENGTH);
    expect(Buffer.compare(memory.subarray(100), data)).toBe(0);
    expect(memory.subarray(0, 100).every((byte) => byte === CANARY)).toBe(true);
  });
});

describe('a match near the start of the output', () => {
  /** More than the short paths read and write at a time. */
  const TAIL = 100;
  const literals = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  const lz4 = (before: number, distance: number, length: number) =>
    Uint8Array.of((before << 4) | (length - 4), ...literals(before), distance, 0, 0xf0, TAIL - 15, ...literals(TAIL));
  const snappy = (before: number, distance: number, length: number) => {
    const match = length < 12 ? [((length - 4) << 2) | 1, distance] : [((length - 1) << 2) | 2, distance, 0];
    const first = before > 0 ? [(before - 1) << 2, ...literals(before)] : [];
    return Uint8Array.of(...first, ...match, 60 << 2, TAIL - 1, ...literals(TAIL));
  };

  it.each([
    { codec: 'lz4' as const, encode: lz4, lengths: [4, 11, 12, 16, 17, 18] },
    { codec: 'snappy' as const, encode: snappy, lengths: [4, 11, 12, 16, 17, 33, 64] },
  ])('is decoded by $codec when the output reaches so far, and refused otherwise', ({ codec, encode, lengths }) => {
    for (let before = 0; before < 15; before++) {
      for (let distance = 0; distance < 20; distance++) {
        for (const length of lengths) {
          const data = encode(before, distance, length);
          const out = new Uint8Array(before + length + TAIL);
          const done = kernels.decode(codec, data, out, 0, out.length);
          const where = `${before} literals, distance ${distance}, length ${length}`;
          expect(done >= 0, where).toBe(distance > 0 && distance <= before);
          if (done < 0) continue;
          const expected = literals(before);
          for (let i = 0; i < length; i++) expected.push(expected[expected.length - distance]!);
          expect(Buffer.compare(out, Uint8Array.of(...expected, ...literals(TAIL))), where).toBe(0);
        }
      }
    }
  });

  it.each([16, 17, 30, 300])('is the same at distance %i, far enough for vectors', (distance) => {
    const first = literals(200).map((value) => value & 255);
    for (const length of [4, 11, 16, 17, 18]) {
      const expected = [...first];
      for (let i = 0; i < length; i++) expected.push(expected[expected.length - distance]!);
      expected.push(...literals(TAIL));
      const ends = [distance & 255, distance >> 8];
      const tail = [...literals(TAIL)];
      const packed = {
        lz4: [0xf0 | (length - 4), 185, ...first, ...ends, 0xf0, TAIL - 15, ...tail],
        snappy: [60 << 2, 199, ...first, ((length - 1) << 2) | 2, ...ends, 60 << 2, TAIL - 1, ...tail],
      };
      for (const codec of ['lz4', 'snappy'] as const) {
        const out = new Uint8Array(200 + length + TAIL);
        const done = kernels.decode(codec, Uint8Array.from(packed[codec]), out, 0, out.length);
        expect(done >= 0).toBe(distance <= 200);
        if (done >= 0) expect(Buffer.compare(out, Uint8Array.from(expected))).toBe(0);
      }
    }
  });
});

describe('lengths that lie', () => {
  it('are refused before they overflow', () => {
    // A length of 15 + 255 · n beyond any memory, in literals and in a match.
    const many = new Uint8Array(2 ** 24 + 16).fill(255);
    const out = new Uint8Array(2 ** 25);
    many[0] = 0xf0;
    expect(kernels.decode('lz4', many, out, 0, out.length)).toBeLessThan(0);
    many.set([0x1f, 65, 1, 0]);
    expect(kernels.decode('lz4', many, out, 0, out.length)).toBeLessThan(0);
    const snappy = Uint8Array.of(63 << 2, 255, 255, 255, 255, 1, 2, 3);
    expect(kernels.decode('snappy', snappy, out, 0, out.length)).toBeLessThan(0);
  });
});

describe('shuffles with vectors', () => {
  const cases = [1, 2, 4, 8].flatMap((typeSize) =>
    [8, 16, 120, 1000, 4096, 40_008].map((count) => ({ typeSize: typeSize as 1 | 2 | 4 | 8, count })),
  );

  it.each(cases)('equal the loops in TypeScript for $count samples of $typeSize bytes', ({ typeSize, count }) => {
    const data = content(count, count * typeSize);
    const [expected, actual] = [new Uint8Array(data.length), new Uint8Array(data.length)];
    if (typeSize > 1) {
      unshuffleInTypeScript(data, expected, typeSize);
      kernels.unshuffle(kernels.place(data), actual, typeSize as 2, count);
      expect(Buffer.compare(actual, expected)).toBe(0);
    }
    bitUnshuffleInTypeScript(data, expected, typeSize);
    kernels.unshuffleBits(kernels.place(data), actual, typeSize, count);
    expect(Buffer.compare(actual, expected)).toBe(0);
  });
});

describe('picking interleaved samples with vectors', () => {
  const arrays = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, Float64Array];
  const cases = arrays.flatMap((Samples) => [2, 3, 4, 5, 8].map((step) => ({ Samples, step, name: Samples.name })));

  it.each(cases)('equals a loop for $name, $step channels', ({ Samples, step }) => {
    const bytes = new Uint8Array(content(step, 80_000));
    // Random bits of floats may be NaN, whose payload a conversion may change.
    const samples = new Samples(
      Samples.name.startsWith('Float') ? bytes.map((byte) => byte & 0x3f).buffer : bytes.buffer,
    );
    for (const count of [1, 15, 16, 17, 1000, Math.floor(samples.length / step) - 1]) {
      const [from, to] = [step - 1, 3];
      const expected = new Float32Array(count + 10).fill(-1);
      for (let i = 0; i < count; i++) expected[to + i] = samples[from + i * step]!;
      const actual = new Float32Array(count + 10).fill(-1);
      kernels.pick(samples, from, step, actual, to, count);
      expect(Buffer.compare(new Uint8Array(actual.buffer), new Uint8Array(expected.buffer))).toBe(0);
    }
  });
});

describe('memory of the kernels', () => {
  it('is dropped after a large block, and not used for a very large one', () => {
    const own = new KernelHost();
    const first = own.forBlock(0, 1000);
    own.trim();
    expect(own.forBlock(0, 1000)).toBe(first);
    first!.reserve(0, 20 * 2 ** 20);
    own.trim();
    expect(own.forBlock(0, 1000)).not.toBe(first);
    expect(own.forBlock(2 ** 26, 2 ** 26)).toBeUndefined();
  });

  it('is not required: without WebAssembly memory the loops in TypeScript do the work', () => {
    const api = (globalThis as unknown as { WebAssembly: { Memory: unknown } }).WebAssembly;
    const { Memory } = api;
    api.Memory = class {
      constructor() {
        throw new RangeError('WebAssembly.Memory(): could not allocate memory');
      }
    };
    try {
      expect(new KernelHost().forBlock(0, 1000)).toBeUndefined();
    } finally {
      api.Memory = Memory;
    }
  });
});

describe('running sums of rows', () => {
  const TYPES = { uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, uint32: Uint32Array, int32: Int32Array };

  it.each(Object.entries(TYPES))('of %s wrap, and touch nothing else', (_, Samples) => {
    const random = randomNumbers(11);
    const size = Samples.BYTES_PER_ELEMENT;
    // Rows of a few samples, up to a vector more or less than what is added up at a time, and longer ones.
    const widths = [0, 1, 15, 16, 17, 63, 64, 65, 100, 511, 512, 513, 32_767, 32_768, 32_769, 40_000];
    for (const columns of widths) {
      for (const rows of [0, 1, 2, 3, 65]) {
        if (rows * columns > 1e5) continue;
        const memory = new Samples(rows * columns + 40).map(() => Math.floor(random() * 2 ** 32)) as Uint16Array;
        const expected = memory.slice();
        const inside = (samples: Uint16Array) => samples.subarray(20, 20 + rows * columns);
        for (let row = 0, sum = 0n, i = 0; row < rows; row++, sum = 0n) {
          for (let x = 0; x < columns; x++, i++) {
            sum += BigInt(inside(memory)[i]!);
            inside(expected)[i] = Number(BigInt.asIntN(8 * size, sum));
          }
        }
        const other = memory.slice();
        undoDifferencing(inside(memory), rows, columns, 1);
        undoInTypeScript(inside(other), rows, columns, 1);
        const where = `${rows} × ${columns}`;
        expect(Buffer.compare(Buffer.from(memory.buffer), Buffer.from(expected.buffer)), where).toBe(0);
        expect(Buffer.compare(Buffer.from(other.buffer), Buffer.from(expected.buffer)), where).toBe(0);
      }
    }
  });

  it('are taken from vectors for rows of usual lengths', () => {
    expect([0, 63, 64, 1024, 32_768, 32_769].map((bytes) => host.forSums(bytes) !== undefined)).toEqual([
      ...[false, false, true],
      ...[true, true, false],
    ]);
  });
});
