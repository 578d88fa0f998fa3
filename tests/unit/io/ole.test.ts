import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { openOle } from '../../../packages/readers/src/io/ole.js';
import { writeOle } from '../../writers/ole.js';

const ramp = (length: number, start = 0) => Uint8Array.from({ length }, (_, i) => (start + i * 7) & 255);
const open = (bytes: Uint8Array) => openOle(new MemorySource('test.oib', bytes));

const STREAMS = [
  { path: 'OibInfo.txt', bytes: ramp(636, 1) },
  { path: 'Stream00000', bytes: ramp(5000, 2) },
  { path: 'Storage00001/Stream00001', bytes: ramp(170, 3) },
  { path: 'Storage00001/Stream00002', bytes: ramp(40_000, 4) },
  { path: 'Storage00001/Empty', bytes: new Uint8Array() },
];

describe.each([3, 4] as const)('compound file, version %i', (version) => {
  it('reads streams of the mini stream and of whole sectors', () => {
    const ole = open(writeOle(STREAMS, { version }));
    expect([...ole.streams.keys()].sort()).toEqual(STREAMS.map(({ path }) => path).sort());
    for (const { path, bytes } of STREAMS) {
      const source = ole.open(path);
      expect(source?.size).toBe(bytes.length);
      expect(source?.read(0, bytes.length)).toEqual(bytes);
    }
    expect(ole.open('Storage00001/Stream00002')?.read(12_345, 7)).toEqual(STREAMS[3]?.bytes.slice(12_345, 12_352));
    expect(ole.open('missing')).toBeUndefined();
  });
});

describe('compound file', () => {
  it('ignores junk in the high half of a version 3 size', () => {
    const ole = open(writeOle(STREAMS, { junkHighSize: true }));
    expect(ole.streams.get('Stream00000')?.size).toBe(5000);
  });

  it('follows the DIFAT chain of a file with more than 109 allocation sectors', () => {
    // 8 MB in 512-byte sectors needs 16,000 entries, 128 to a sector: 125 allocation sectors.
    const bytes = ramp(8_000_000, 5);
    const ole = open(writeOle([{ path: 'Big', bytes }]));
    expect(ole.open('Big')?.read(7_999_990, 10)).toEqual(bytes.slice(7_999_990));
  });

  it('reads neighbouring sectors in one go', () => {
    const bytes = ramp(1_000_000);
    const file = new MemorySource('test.oib', writeOle([{ path: 'Big', bytes }]));
    let reads = 0;
    const counting = {
      name: file.name,
      size: file.size,
      read: (offset: number, length: number) => file.read(offset, length),
      readInto: (target: Uint8Array, offset: number) => {
        reads++;
        file.readInto(target, offset);
      },
      close: () => {},
    };
    const source = openOle(counting).open('Big');
    reads = 0;
    source?.read(0, 1_000_000);
    expect(reads).toBe(1);
  });

  it('refuses a cyclic chain of sectors', () => {
    const bytes = writeOle([{ path: 'Big', bytes: ramp(5000) }]);
    const view = new DataView(bytes.buffer);
    const fatSector = view.getUint32(76, true);
    // Sector 0 is followed by itself.
    view.setUint32((fatSector + 1) * 512, 0, true);
    const ole = open(bytes);
    expect(() => ole.open('Big')).toThrow(/contains a loop/);
    const directory = view.getUint32(48, true);
    view.setUint32((fatSector + 1) * 512 + directory * 4, directory, true);
    expect(() => open(bytes)).toThrow(/contains a loop/);
  });

  it('refuses a cyclic directory tree', () => {
    const bytes = writeOle(STREAMS);
    const view = new DataView(bytes.buffer);
    const directory = (view.getUint32(48, true) + 1) * 512;
    view.setUint32(directory + 128 + 72, 1, true);
    expect(() => open(bytes)).toThrow(/contains a loop/);
  });

  it('says where a truncated file ends', () => {
    const bytes = writeOle(STREAMS);
    for (let part = 0; part < 64; part++) {
      const cut = bytes.subarray(0, Math.floor((bytes.length * part) / 64));
      expect(() => {
        const ole = open(cut);
        for (const [path, { size }] of ole.streams) ole.open(path)?.read(0, size);
      }).toThrow(/test\.oib/);
    }
  });
});
