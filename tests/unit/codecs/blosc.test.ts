import { deflateSync, gzipSync } from 'node:zlib';
import Blosc from 'numcodecs/blosc';
import LZ4 from 'numcodecs/lz4';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../../src/codecs/crc32c.js';
import { BYTE_CODECS } from '../../../src/codecs/index.js';
import type { ByteDecoder } from '../../../src/codecs/types.js';
import { AcqError } from '../../../src/errors.js';
import { mutate, randomNumbers } from '../../hostile/mutate.js';

/** Samples of a smooth signal with noise, and runs of one value. */
function signal(bytes: number, typeSize: number): Uint8Array {
  const random = randomNumbers(bytes + typeSize);
  const out = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) {
    const sample = Math.floor(i / typeSize);
    const value = sample % 1000 < 300 ? 70_000 : 500 + Math.floor(400 * Math.sin(sample / 50) + random() * 30);
    out[i] = (value >> (8 * (i % typeSize))) & 255;
  }
  return out;
}

const exactly = (length: number) => ({ expected: length, limit: length });

describe('Blosc, decoded here, equals what c-blosc made', () => {
  const cases = ['blosclz', 'lz4', 'lz4hc', 'snappy', 'zlib', 'zstd'].flatMap((cname) =>
    [0, 1, 2].map((shuffle) => ({ cname, shuffle })),
  );

  it.each(cases)('$cname, shuffle $shuffle', async ({ cname, shuffle }) => {
    const decode = await BYTE_CODECS.blosc();
    for (const length of [0, 1, 7, 16, 127, 128, 1000, 4096, 65_536, 262_144, 300_007]) {
      for (const [clevel, blocksize] of [
        [5, 0],
        [9, 0],
        [1, 0],
        [5, 4096],
        [5, 1000],
      ]) {
        const codec = Blosc.fromConfig({ id: 'blosc', cname, shuffle, clevel, blocksize });
        const data = signal(length, 2);
        const packed = new Uint8Array(await codec.encode(data));
        expect(Buffer.compare(decode(packed, exactly(length)), data), `${length} ${clevel} ${blocksize}`).toBe(0);
      }
    }
  });
});
