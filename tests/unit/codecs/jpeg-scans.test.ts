import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import { loadJpeg } from '../../../packages/readers/src/codecs/jpeg.js';
import { decodeJpegScans } from '../../../packages/readers/src/codecs/jpeg-scans.js';
import type { DecodedImage } from '../../../packages/readers/src/codecs/types.js';
import { JPEG_VECTORS } from '../../writers/jpeg-vectors.js';

type Name = keyof typeof JPEG_VECTORS;

function sha256({ samples: { buffer, byteOffset, byteLength } }: DecodedImage): string {
  return createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
}

const decode = await loadJpeg();
const options = { maxPixels: 26 * 21, components: 1, colours: 'ycbcr' } as const;

describe('JPEG of 12 bits, and of two and four components', () => {
  it.each<[Name, number, Uint8Array | Uint16Array]>([
    ['gray12Bits', 1, new Uint16Array()],
    ['color12Bits', 3, new Uint16Array()],
    ['twoComponents', 2, new Uint8Array()],
    ['fourComponents', 4, new Uint8Array()],
    ['fourProgressive', 4, new Uint8Array()],
  ])('%s: the samples of libjpeg', (name, components, type) => {
    const image = decode(JPEG_VECTORS[name].stream, options);
    expect(image).toMatchObject({ width: 26, height: 21, components });
    expect(image.samples.constructor).toBe(type.constructor);
    expect(sha256(image)).toBe(JPEG_VECTORS[name].sha256);
  });

  it('gives the samples of the WebAssembly decoder for what both decode', () => {
    const { stream, sha256: expected } = JPEG_VECTORS.color;
    expect(sha256(decode(stream, options))).toBe(expected);
    const unconverted = decode(stream, { ...options, colours: 'rgb' });
    // A JFIF header says YCbCr, so it is taken out here.
    const plain = Buffer.concat([stream.subarray(0, 2), stream.subarray(4 + stream.readUInt16BE(4))]);
    const raw = decode(plain, { ...options, colours: 'rgb' });
    expect(sha256(decodeJpegScans(plain, options))).toBe(sha256(raw));
    expect(sha256(unconverted)).toBe(expected);
  });

  it.each<[Name]>([['gray12Bits'], ['fourProgressive']])('%s: refuses what is cut off anywhere', (name) => {
    const { stream } = JPEG_VECTORS[name];
    for (let end = 0; end < stream.length - 30; end += 7) {
      expect(() => decode(stream.subarray(0, end), options), `${end} bytes`).toThrow(AcqError);
    }
  });

  it('refuses a second frame header, which may stand in separate tables', () => {
    const { stream } = JPEG_VECTORS.fourProgressive;
    // SOF2 of 16,384 × 16,384 pixels and 4 components.
    const huge = Buffer.from('ffd8ffc20014084000400004011100021100031100041100', 'hex');
    for (const tables of [huge, Buffer.concat([huge, Buffer.from('ffd9', 'hex')])]) {
      expect(() => decode(stream, { ...options, tables })).toThrow(/16,384 × 16,384 pixels of 8 bits/);
    }
    const twice = Buffer.concat([stream.subarray(0, 2), sof(stream), stream.subarray(2)]);
    expect(() => decode(twice, options)).toThrow('two frame headers');
  });

  /** The frame header of a stream. */
  function sof(stream: Buffer): Uint8Array {
    for (let at = 2; ; at += 2 + stream.readUInt16BE(at + 2)) {
      if (stream[at + 1] === 0xc2) return stream.subarray(at, at + 2 + stream.readUInt16BE(at + 2));
    }
  }

  it('decodes or refuses streams with a few other bytes', () => {
    let state = 7;
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 16;
    };
    for (const name of ['color12Bits', 'twoComponents', 'fourProgressive'] as const) {
      for (let i = 0; i < 400; i++) {
        const stream = Buffer.from(JPEG_VECTORS[name].stream);
        for (let k = 0; k < 3; k++) stream[2 + (next() % (stream.length - 2))] = next() & 255;
        try {
          const { width, height } = decode(stream, options);
          expect(width * height).toBeLessThanOrEqual(options.maxPixels);
        } catch (error) {
          expect(error).toBeInstanceOf(AcqError);
        }
      }
    }
  });
});
