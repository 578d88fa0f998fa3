import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { ZipArchive } from '../../../packages/readers/src/io/zip.js';
import { CountingSource } from '../../support/counting-source.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { writeZip, type ZipFile } from '../../writers/zip.js';

const folder = tempFolder();
const text = (value: string) => new TextEncoder().encode(value);
const archive = (bytes: Uint8Array) => new ZipArchive(new MemorySource('a.zip', bytes));
const FILES: ZipFile[] = [
  { name: 'zero.bin', bytes: new Uint8Array() },
  { name: 'sub/µ.txt', bytes: text('stored text') },
  { name: 'sub/deep/packed.txt', bytes: text('packed '.repeat(1000)), deflate: true },
];

/** Offset of the central header of entry `n`. */
function centralAt(bytes: Uint8Array, n: number): number {
  const view = new DataView(bytes.buffer);
  let at = -1;
  for (let i = 0; i <= n; i++) {
    do at++;
    while (view.getUint32(at, true) !== 0x02014b50);
  }
  return at;
}

/** The archive of `FILES` with one 32-bit word of a central header changed. */
function damaged(entry: number, field: number, value: number): Uint8Array {
  const bytes = writeZip(FILES);
  new DataView(bytes.buffer).setUint32(centralAt(bytes, entry) + field, value, true);
  return bytes;
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof AcqError ? error.code : String(error);
  }
  return 'none';
}

describe('zip archive', () => {
  it.each([
    ['plain', {}],
    ['with a comment', { comment: 'made by a test' }],
    ['with a comment that looks like an end record', { comment: `PK\x05\x06${'\0'.repeat(18)} and goes on` }],
    ['with a zip64 end record', { zip64: true }],
  ])('lists and reads entries: %s', (_, options) => {
    const zip = archive(writeZip(FILES, options));
    expect(zip.list().map(({ name, size, method }) => [name, size, method])).toEqual([
      ['zero.bin', 0, 0],
      ['sub/µ.txt', 11, 0],
      ['sub/deep/packed.txt', 7000, 8],
    ]);
    expect(zip.open('zero.bin')?.size).toBe(0);
    expect(zip.open('sub/µ.txt')?.read(7, 4)).toEqual(text('text'));
    expect(zip.open('sub/deep/packed.txt')?.read(6993, 7)).toEqual(text('packed '));
    expect(zip.open('no.txt')).toBeUndefined();
  });

  it('reads sizes and offsets from the zip64 field', () => {
    const zip = archive(writeZip(FILES.map((file) => ({ ...file, zip64: true }))));
    expect(zip.open('sub/deep/packed.txt')?.read(0, 6)).toEqual(text('packed'));
  });

  it('gives the same files as an independent program', () => {
    const script = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), z.namelist())';
    const path = writeTemp(folder, 'ours.zip', writeZip(FILES));
    const run = spawnSync('python3', ['-c', script, path], { encoding: 'utf8' });
    if (run.error) console.warn('python3 is not installed: the zip writer was not checked against it');
    else expect(run.stdout.trim()).toBe("None ['zero.bin', 'sub/µ.txt', 'sub/deep/packed.txt']");
  });

  it('reads its directory and nothing else when opened, and of a stored entry what is asked for', () => {
    const source = new CountingSource(writeZip([{ name: 'big', bytes: new Uint8Array(1_000_000) }]));
    const zip = new ZipArchive(source);
    expect(source.bytes).toBeLessThan(65_600 + 100);
    source.reset();
    zip.open('big')?.read(500_000, 10);
    expect(source.bytes).toBe(30 + 10);
  });

  it('unpacks an entry once', () => {
    const source = new CountingSource(writeZip(FILES));
    const entry = new ZipArchive(source).open('sub/deep/packed.txt');
    entry?.read(0, 1);
    source.reset();
    expect(entry?.read(7, 6)).toEqual(text('packed'));
    expect(source.bytes).toBe(0);
  });

  it.each(['../up.txt', 'a/../../up.txt', '/etc/passwd', 'C:/x', 'a\\..\\..\\b', './x', 'a//b', 'a\0b', ''])(
    'refuses the name %j',
    (name) => expect(codeOf(() => archive(writeZip([{ name, bytes: text('x') }])))).toBe('decode_failed'),
  );

  it('takes a backslash for a slash', () => {
    expect(archive(writeZip([{ name: 'a\\b.txt', bytes: text('x') }])).names()).toEqual(['a/b.txt']);
  });

  it('refuses two entries of one name', () => {
    const twice = [
      { name: 'a', bytes: text('1') },
      { name: 'a', bytes: text('2') },
    ];
    expect(codeOf(() => archive(writeZip(twice)))).toBe('decode_failed');
  });

  it.each([
    ['entries that overlap', damaged(2, 42, 0)],
    ['an entry outside the archive', damaged(1, 42, 1_000_000)],
    ['a packed size that reaches into the directory', damaged(1, 20, 100_000)],
    ['more bytes than deflate can make of it', damaged(2, 24, 2_000_000_000)],
    ['a stored entry of two sizes', damaged(1, 24, 12)],
  ])('refuses %s', (_, bytes) => expect(codeOf(() => archive(bytes))).toBe('decode_failed'));

  it.each([
    ['checksum', 16, 0],
    ['size, too small', 24, 6999],
    ['size, too large', 24, 7001],
  ])('finds a wrong %s when the entry is read', (_, field, value) => {
    const entry = archive(damaged(2, field, value)).open('sub/deep/packed.txt');
    expect(codeOf(() => entry?.read(0, 1))).toBe('decode_failed');
  });

  it('names what it cannot open', () => {
    const encrypted = writeZip([{ name: 'e', bytes: text('secret bytes !') }]);
    new DataView(encrypted.buffer).setUint16(centralAt(encrypted, 0) + 8, 1, true);
    new DataView(encrypted.buffer).setUint32(centralAt(encrypted, 0) + 24, 2, true);
    expect(() => archive(encrypted).open('e')).toThrow(/is encrypted/);
    const bzip = writeZip(FILES);
    new DataView(bzip.buffer).setUint16(centralAt(bzip, 2) + 10, 12, true);
    expect(() => archive(bzip).open('sub/deep/packed.txt')).toThrow(/compression method 12 is not supported/);
  });

  it('is honest about every truncation and every changed byte', () => {
    const whole = writeZip(FILES);
    for (let cut = 0; cut < whole.length; cut++) expectHonest(whole.slice(0, cut));
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0x00, 0xff, 0x80]) {
        const bytes = whole.slice();
        bytes[at] = value;
        expectHonest(bytes);
      }
    }
  });
});

/** Opens and reads everything, or fails with a code of the table. */
function expectHonest(bytes: Uint8Array): void {
  const code = codeOf(() => {
    const zip = archive(bytes);
    for (const { name, size } of zip.list()) zip.open(name)?.read(0, size);
  });
  expect(['none', 'decode_failed', 'unsupported_format']).toContain(code);
}

it('a directory of too many entries is refused before the first one is read', () => {
  const [count, header] = [300_000, 46];
  const bytes = Buffer.alloc(count * header + 56 + 20 + 22);
  const end64 = count * header;
  bytes.writeUInt32LE(0x06064b50, end64);
  for (const [at, value] of [
    [32, count],
    [40, count * header],
  ] as const) {
    bytes.writeBigUInt64LE(BigInt(value), end64 + at);
  }
  bytes.writeUInt32LE(0x07064b50, end64 + 56);
  bytes.writeBigUInt64LE(BigInt(end64), end64 + 56 + 8);
  bytes.writeUInt32LE(0x06054b50, end64 + 76);
  bytes.writeUInt16LE(0xffff, end64 + 76 + 10);
  expect(() => archive(bytes)).toThrow(/lists 300,000 entries .* the limits are 262,144 and .* Unpack the archive/);
});
