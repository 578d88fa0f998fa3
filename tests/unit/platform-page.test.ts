import { deflateRawSync, deflateSync, gzipSync, crc32 as zlibCrc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Inflate, usePlatform } from '../../packages/readers/src/base/platform.js';
import { Folder } from '../../packages/readers/src/io/folder.js';
import { openFiles, usePage } from '../../packages/readers/src/platform-page/open-files.js';
import { type PageBlob, PageFileSource } from '../../packages/readers/src/platform-page/page-file-source.js';
import { PageFiles, PageFolder } from '../../packages/readers/src/platform-page/page-files.js';
import { pageInflate } from '../../packages/readers/src/platform-page/page-inflate.js';
import { NODE } from '../../packages/server/src/platform-node/index.js';
import { mutate } from '../hostile/mutate.js';
import { writeTiff } from '../writers/tiff.js';

/** A file of a page, as its reader sees it. */
class FakeBlob implements PageBlob {
  readonly bytes: Uint8Array;
  reads = 0;
  isGone = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get size(): number {
    return this.bytes.length;
  }

  slice(start: number, end: number): PageBlob {
    this.reads++;
    if (this.isGone) throw new Error('NotReadableError');
    return new FakeBlob(this.bytes.slice(start, end));
  }
}

const noise = (length: number) => Uint8Array.from({ length }, (_, i) => (i * i + (i >> 3)) % 251);
const globals = globalThis as { FileReaderSync?: unknown };

beforeAll(() => {
  globals.FileReaderSync = class {
    readAsArrayBuffer = ({ bytes }: FakeBlob) => bytes.buffer;
  };
  usePage(() => Promise.reject(new Error('no codec')));
});
afterAll(() => {
  delete globals.FileReaderSync;
  usePlatform(NODE);
});

describe('a file of a page', () => {
  it('has the bytes of the file, at any place and of any length', () => {
    const bytes = noise(700_000);
    const source = new PageFileSource('scan.tif', new FakeBlob(bytes));
    for (const [offset, length] of [
      [0, 4],
      [65_530, 20],
      [0, 700_000],
      [131_071, 65_537],
      [699_999, 1],
      [40, 0],
    ] as const) {
      expect(source.read(offset, length)).toEqual(bytes.slice(offset, offset + length));
      const target = new Uint8Array(length);
      source.readInto(target, offset);
      expect(target).toEqual(bytes.slice(offset, offset + length));
    }
  });

  it('is asked once for many short reads', () => {
    const blob = new FakeBlob(noise(10_000));
    const source = new PageFileSource('scan.tif', blob);
    for (let at = 0; at < 10_000; at += 10) source.read(at, 4);
    expect(blob.reads).toBe(1);
  });

  it('refuses what falls outside of it, and says when it has changed', () => {
    const blob = new FakeBlob(noise(100));
    const source = new PageFileSource('scan.tif', blob);
    expect(() => source.read(90, 11)).toThrow('scan.tif: bytes 90–101 are missing');
    blob.isGone = true;
    expect(() => source.read(0, 4)).toThrow(expect.objectContaining({ code: 'source_changed' }));
  });
});

describe('a folder of a page', () => {
  const files = new PageFiles(
    ['a/main.xml', 'a/sub/one.tif', 'a/sub/two.tif', 'b.tif'].map((path, i) => ({
      path,
      data: new FakeBlob(noise(i + 1)),
    })),
  );
  const folder = new Folder(new PageFolder(files, 'a', 'a/'));

  it('lists and opens what is in it and below, and nothing beside it', () => {
    expect(folder.list()).toEqual(['main.xml', 'sub']);
    expect(folder.list('sub')).toEqual(['one.tif', 'two.tif']);
    expect(folder.list('none')).toEqual([]);
    expect(folder.open('sub/two.tif')?.size).toBe(3);
    expect(folder.open('./sub/two.tif')).toBe(folder.open('sub/two.tif'));
    expect(folder.open('sub/two.tif')?.name).toBe('a/sub/two.tif');
    expect(folder.open('sub')).toBeUndefined();
    expect(folder.open('b.tif')).toBeUndefined();
    expect(() => folder.open('../b.tif')).toThrow(expect.objectContaining({ code: 'path_not_allowed' }));
  });

  it('knows sizes and what was opened', () => {
    expect(folder.sizeOf('everything')).toBe(6);
    expect(folder.sizeOf(['main.xml', 'missing.tif'])).toBe(1);
    expect(folder.sizeOf('everything', 2)).toBeUndefined();
    expect([folder.hasOpened('sub/two.tif'), folder.hasOpened('main.xml')]).toEqual([true, false]);
  });
});

describe('inflate in a page', () => {
  const text = noise(100_000);
  const packed = { raw: deflateRawSync(text), zlib: deflateSync(text), gzip: gzipSync(text) } as const;

  it.each(Object.entries(packed))('unpacks %s, also with bytes behind it', (name, data) => {
    const wrapper = name as keyof typeof packed;
    for (const stream of [data, Buffer.concat([data, Buffer.alloc(9)])]) {
      expect(pageInflate.inflate(stream, { wrapper, limit: 100_000 })).toEqual(text);
    }
    expect(pageInflate.inflate(data, { wrapper, limit: 99_999 })).toBe('too large');
  });

  it('takes zlib where gzip may be', () => {
    expect(pageInflate.inflate(packed.zlib, { wrapper: 'gzip', limit: 100_000 })).toEqual(text);
  });

  it('refuses corrupted and truncated streams, and returns the start of these when asked', () => {
    const wrong = packed.zlib.slice();
    wrong[wrong.length - 1]! ^= 1;
    const cut = packed.raw.subarray(0, packed.raw.length >> 1);
    expect(() => pageInflate.inflate(wrong, { wrapper: 'zlib', limit: 100_000 })).toThrow('data check');
    expect(() => pageInflate.inflate(cut, { wrapper: 'raw', limit: 100_000 })).toThrow();
    expect(() => pageInflate.inflate(new Uint8Array(), { wrapper: 'raw', limit: 1 })).toThrow();
    const start = pageInflate.inflate(cut, { wrapper: 'raw', limit: 100_000, allowsTruncated: true }) as Uint8Array;
    expect(start.length).toBeGreaterThan(1_000);
    expect(start).toEqual(text.subarray(0, start.length));
  });

  it('checks a whole stream also where a truncated one is allowed', () => {
    const job = { wrapper: 'zlib', limit: 100_000, allowsTruncated: true } as const;
    const wrong = packed.zlib.slice();
    wrong[wrong.length - 3]! ^= 1;
    expect(() => pageInflate.inflate(wrong, job)).toThrow('data check');
    for (const cut of [1, 2, 3, 4]) expect(pageInflate.inflate(packed.zlib.subarray(0, -cut), job)).toEqual(text);
  });

  it.each([false, true])('makes of corrupted streams what zlib makes of them (truncated: %s)', (allowsTruncated) => {
    const plain = Uint8Array.from({ length: 3_000 }, (_, i) => (i % 50) * (i % 7));
    const job = { wrapper: 'zlib', limit: 10_000, allowsTruncated } as const;
    const outcome = (inflate: Inflate, data: Uint8Array) => {
      try {
        return inflate.inflate(data, job);
      } catch {
        return 'refused';
      }
    };
    const differing: number[] = [];
    for (let seed = 0; seed < 1_000; seed++) {
      const data = mutate(deflateSync(plain, { level: 1 + (seed % 9) }), seed);
      const [page, node] = [outcome(pageInflate, data), outcome(NODE.inflate, data)];
      if (JSON.stringify(page) !== JSON.stringify(node)) differing.push(seed);
    }
    // fflate does not compare the two lengths of a stored block, and knows distance codes 30 and 31.
    expect(differing.length).toBeLessThanOrEqual(allowsTruncated ? 10 : 0);
  });

  it('stops at the limit of a stream that becomes very large', () => {
    const bomb = deflateRawSync(new Uint8Array(50_000_000));
    expect(pageInflate.inflate(bomb, { wrapper: 'raw', limit: 1_000_000 })).toBe('too large');
  });

  it('has the checksum of zlib', () => {
    for (const bytes of [new Uint8Array(), text]) expect(pageInflate.crc32(bytes)).toBe(zlibCrc32(bytes));
  });
});

describe('openFiles', () => {
  const tiff = () => writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12).map((_, i) => i) }] });
  const given = (...paths: string[]) => paths.map((path) => ({ path, data: new FakeBlob(tiff()) }));

  it('opens the first file that it can read, or the one that is named', async () => {
    const first = await openFiles(given('notes.txt', 'a.tif', 'b.tif'));
    const named = await openFiles(given('a.tif', 'b.tif'), { name: 'b.tif' });
    expect([first.name, named.name]).toEqual(['a.tif', 'b.tif']);
    expect(named.acquisition.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
    expect(named.size()).toBe(tiff().length);
  });

  it('opens the file in a folder that is not an acquisition itself', async () => {
    const { name } = await openFiles(given('day 1/z.txt', 'day 1/cell.tif'));
    expect(name).toBe('cell.tif');
  });

  it.each(['scan.pmt.dat', 'recordings/scan.pmt.dat'])(
    'says of a file that was not chosen with %s that it can be chosen',
    async (path) => {
      await expect(openFiles([{ path, data: new FakeBlob(noise(64)) }])).rejects.toMatchObject({
        code: 'companion_missing',
        message:
          'scan.pmt.dat: "scan.meta.txt" (the header of the line scan) is missing from the files that were chosen. ' +
          'Choose all files of the acquisition together, or the folder that they are in.',
      });
    },
  );

  it('refuses nothing, what is missing and what is not an acquisition', async () => {
    await expect(openFiles([])).rejects.toMatchObject({ code: 'path_not_found' });
    await expect(openFiles(given('a.tif'), { name: 'c.tif' })).rejects.toMatchObject({ code: 'path_not_found' });
    const notes = [{ path: 'a.tif', data: new FakeBlob(noise(400)) }];
    await expect(openFiles(notes)).rejects.toMatchObject({ code: 'unsupported_format' });
  });
});
