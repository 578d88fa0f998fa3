import { createRequire } from 'node:module';
import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { platform, usePlatform } from '../../packages/readers/src/base/platform.js';
import { decodeGzip } from '../../packages/readers/src/codecs/gzip.js';
import { NODE } from '../../packages/server/src/platform-node/index.js';

const DATA = Uint8Array.from({ length: 5_000 }, (_, i) => (i * i) % 251);
const { inflate, wasm } = NODE;

describe('streams of deflate in Node', () => {
  it.each([
    ['zlib', deflateSync(DATA)],
    ['gzip', gzipSync(DATA)],
    ['gzip', deflateSync(DATA)],
    ['raw', deflateRawSync(DATA)],
  ] as const)('with the wrapper %s become bytes whose slices are copies', (wrapper, stream) => {
    const bytes = inflate.inflate(stream, { wrapper, limit: DATA.length });
    if (bytes === 'too large') throw new Error(bytes);
    expect(bytes).toEqual(DATA);
    bytes.slice(0, 1)[0] = 255;
    expect(bytes[0]).toBe(0);
    expect(inflate.inflate(stream, { wrapper, limit: DATA.length - 1 })).toBe('too large');
    expect(() => inflate.inflate(stream.subarray(0, 200), { wrapper, limit: DATA.length })).toThrow();
  });

  it('may be truncated where the reader counts what it gets', () => {
    const job = { wrapper: 'zlib', limit: DATA.length, allowsTruncated: true } as const;
    const part = inflate.inflate(deflateSync(DATA).subarray(0, 200), job);
    expect(part).toEqual(DATA.subarray(0, part.length));
    expect(part.length).toBeGreaterThan(50);
  });

  it('are checked', () => expect(inflate.crc32(DATA)).toBe(crc32(DATA)));
});

describe('codecs in Node', () => {
  it('are read from the packages that contain them', async () => {
    const bytes = await wasm.read('@cornerstonejs/codec-openjpeg/decodewasm');
    expect([...bytes.subarray(0, 4)]).toEqual([0, 0x61, 0x73, 0x6d]);
    expect(createRequire(import.meta.url).resolve('@cornerstonejs/codec-openjpeg/decodewasm')).toMatch(/\.wasm$/);
  });

  it('leave no handlers on the process, and those of others where they are', () => {
    const own = () => {};
    process.on('uncaughtException', own);
    const count = process.listenerCount('unhandledRejection');
    try {
      const result = wasm.start(() => {
        process.on('uncaughtException', () => process.abort());
        process.on('unhandledRejection', () => process.abort());
        return 'codec';
      });
      expect(result).toBe('codec');
      expect(process.listeners('uncaughtException').at(-1)).toBe(own);
      expect(process.listenerCount('unhandledRejection')).toBe(count);
    } finally {
      process.removeListener('uncaughtException', own);
    }
  });
});

describe('the platform of a thread', () => {
  afterEach(() => usePlatform(NODE));

  it('is what was said last, and has the streams that are unusual', () => {
    const asked = vi.fn(inflate.inflate);
    usePlatform({ ...NODE, inflate: { ...inflate, inflate: asked } });
    expect(platform().inflate.inflate).toBe(asked);
    const size = { expected: DATA.length, limit: DATA.length };
    const usual = gzipSync(DATA);
    expect(decodeGzip(usual, size)).toEqual(DATA);
    expect(asked).not.toHaveBeenCalled();
    const joined = Buffer.concat([gzipSync(DATA.subarray(0, 2_000)), gzipSync(DATA.subarray(2_000))]);
    expect(decodeGzip(joined, size)).toEqual(DATA);
    expect(asked).toHaveBeenCalledOnce();
  });

  it('has to be said', async () => {
    vi.resetModules();
    const fresh = await import('../../packages/readers/src/base/platform.js');
    expect(() => fresh.platform()).toThrow('Call usePlatform before a file is opened.');
  });
});
