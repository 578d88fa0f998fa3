import { beforeAll, describe, expect, it } from 'vitest';
import { decodeFailed } from '../../../packages/readers/src/base/errors.js';
import { IMAGE_CODECS, type ImageCodecName } from '../../../packages/readers/src/codecs/index.js';
import { parseJpeg } from '../../../packages/readers/src/codecs/jpeg-segments.js';
import { WasmHost } from '../../../packages/readers/src/codecs/wasm-host.js';
import { type Encoders, loadEncoders } from '../../writers/codecs.js';

let encoders: Encoders;
beforeAll(async () => {
  encoders = await loadEncoders();
});

const ramp = (length: number) => Uint8Array.from({ length }, (_, i) => (i >> 6) & 255);
const failed = expect.objectContaining({ code: 'decode_failed' });

describe.each<[ImageCodecName, 'jpeg' | 'jpeg2000' | 'webp', number]>([
  ['jpeg', 'jpeg', 3],
  ['jpeg2000', 'jpeg2000', 1],
  ['webp', 'webp', 4],
])('%s', (name, encoder, components) => {
  const stream = () =>
    encoders[encoder]({ bytes: ramp(64 * 64 * components), width: 64, rows: 64, samples: components });
  const options = { maxPixels: 64 * 64, components };

  it('tells size and components', async () => {
    const decode = await IMAGE_CODECS[name]();
    expect(decode(stream(), options)).toMatchObject({ width: 64, height: 64, components });
  });

  it('decodes nothing of a stream that was cut anywhere, and goes on decoding', async () => {
    const whole = stream();
    for (const part of [0, 1, 2, 5, 20, 60, 100, 200, 300]) {
      const decode = await IMAGE_CODECS[name]();
      const cut = whole.subarray(0, Math.min(part, whole.length - 12));
      expect(() => decode(cut, options), `${part} bytes`).toThrow(failed);
    }
    const decode = await IMAGE_CODECS[name]();
    expect(decode(stream(), options).width).toBe(64);
  });

  it('refuses more pixels than its place holds before it decodes', async () => {
    const decode = await IMAGE_CODECS[name]();
    expect(() => decode(stream(), { ...options, maxPixels: 64 * 63 })).toThrow(
      /image is 64 × 64 pixels; the limit is 4,032/,
    );
  });
});

describe('JPEG 2000 headers', () => {
  it.each([
    ['millions of tiles', 24, [0, 0, 0, 1, 0, 0, 0, 1], 'decode_failed', 'list 4,096 tiles'],
    ['no tile size', 24, [0, 0, 0, 0], 'decode_failed', 'tiles'],
    ['a subsampled component', 43, [2], 'unsupported_format', 'components of different size'],
    ['38 bits', 42, [37], 'unsupported_format', 'more than 16 bits'],
    ['two components', 40, [0, 2], 'decode_failed', 'have 2 components; expected 1'],
  ])('%s', async (_, at, bytes, code, message) => {
    const stream = encoders.jpeg2000({ bytes: ramp(4096), width: 64, rows: 64, samples: 1 });
    stream.set(bytes, at);
    const decode = await IMAGE_CODECS.jpeg2000();
    const error = { code, message: expect.stringContaining(message) };
    expect(() => decode(stream, { maxPixels: 4096, components: 1 })).toThrow(expect.objectContaining(error));
  });
});

describe('JPEG headers', () => {
  const bytes = (hex: string) => Uint8Array.from(hex.split(' '), (pair) => Number.parseInt(pair, 16));

  it('reads the frame behind fill bytes, tells JFIF, and keeps the places of colour segments', () => {
    const jfif = 'ff e0 00 07 4a 46 49 46 00';
    expect(parseJpeg(bytes(`ff d8 ${jfif} ff ff c2 00 0b 08 00 10 00 20 01 01 11 00 ff da`))).toEqual({
      process: 2,
      bits: 8,
      width: 32,
      height: 16,
      components: 1,
      jfif: true,
      colorSegments: [{ start: 2, end: 11 }],
    });
  });

  it.each(['00 00', 'ff d8', 'ff d8 ff d9', 'ff d8 00 00 00 00', 'ff d8 ff da 00 00', 'ff d8 ff c0 00 0b 08 00'])(
    'refuses %s',
    (hex) => expect(() => parseJpeg(bytes(hex))).toThrow(failed),
  );

  it('refuses a progressive image of a thousand scans', async () => {
    const scan = 'ff da 00 08 01 01 00 00 3f 00 '.repeat(1000).trim();
    const stream = bytes(`ff d8 ff c2 00 0b 08 00 40 00 40 01 01 11 00 ${scan}`);
    const decode = await IMAGE_CODECS.jpeg();
    expect(() => decode(stream, { maxPixels: 4096, components: 1 })).toThrow(/more than 100 scans/);
  });
});

describe('WasmHost', () => {
  const moduleOf = (bytes: number) => ({ HEAPU8: { length: bytes } as Uint8Array, calls: 0 });

  it('keeps a healthy instance, and replaces one that threw or grew', async () => {
    let made = 0;
    const host = new WasmHost('test', async () => {
      made++;
      return moduleOf(made === 2 ? 2 ** 30 : 100);
    });
    for (let i = 0; i < 3; i++) expect((await host.acquire())(() => i)).toBe(i);
    expect(made).toBe(1);
    const throwing = await host.acquire();
    const crash = () => {
      throw new WebAssembly.RuntimeError('unreachable');
    };
    expect(() => throwing(crash)).toThrow(
      expect.objectContaining({ code: 'decode_failed', message: 'test data are corrupted or truncated' }),
    );
    (await host.acquire())(() => 0);
    expect(made).toBe(2);
    (await host.acquire())(() => 0);
    expect(made).toBe(3);
    const named = await host.acquire();
    expect(() =>
      named(() => {
        throw decodeFailed('what it was');
      }),
    ).toThrow('what it was');
  });

  it('tries again after it could not be made', async () => {
    let tries = 0;
    const host = new WasmHost('test', async () => {
      if (++tries === 1) throw new Error('no memory');
      return moduleOf(1);
    });
    await expect(host.acquire()).rejects.toThrow('no memory');
    expect((await host.acquire())((module) => module.HEAPU8.length)).toBe(1);
  });
});
