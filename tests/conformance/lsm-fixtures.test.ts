import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evenStamps, frames, lineScan } from '../support/lsm.js';
import { tempFolder } from '../support/temp.js';
import { type LsmSpec, writeLsm } from '../writers/lsm.js';
import { type ConformanceCase, conformanceSuite } from './suite.js';

/** 30,000 lines of 38 pixels, 12 bits; its stamps push the first IFD out of the first 4 KiB. */
const long: LsmSpec = lineScan({
  width: 38,
  rows: 30_000,
  value: ({ channel, y, x }) => (y * 7 + x * 113 + channel) % 4096,
  info: { X: 38, T: 30_000, stamps: evenStamps(30_000, 0.00117, 175_054) },
});

const lineSizes = { T: 1, Z: 1, Y: 6, X: 4 };
const frameSizes = { T: 2, Z: 3, Y: 3, X: 5 };

const rows: { name: string; spec: LsmSpec; sizes: typeof lineSizes; scenes?: number; type?: string; file?: string }[] =
  [
    { name: 'line scan', spec: lineScan(), sizes: lineSizes },
    { name: 'line scan, blocks behind the pixels', spec: lineScan({ blocks: 'end' }), sizes: lineSizes },
    { name: 'line scan called .tif', spec: lineScan(), sizes: lineSizes, file: 'scan.tif' },
    { name: 'line scan, interleaved', spec: lineScan({ interleaved: true }), sizes: lineSizes },
    { name: 'line scan in LZW with predictor', spec: lineScan({ lzw: 'closed', predictor: 2 }), sizes: lineSizes },
    { name: 'line scan of 30,000 lines', spec: long, sizes: { T: 1, Z: 1, Y: 30_000, X: 38 } },
    { name: 'frames', spec: frames(), sizes: frameSizes },
    { name: 'frames in LZW without end codes', spec: frames({ lzw: 'open' }), sizes: frameSizes },
    {
      name: 'frames in 8 bits',
      spec: frames({ bits: 8, value: ({ image, y }) => image + y }),
      sizes: frameSizes,
      type: 'uint8',
    },
    { name: 'frames in float', spec: frames({ bits: 32 }), sizes: frameSizes, type: 'float32' },
    { name: 'positions', spec: frames({ info: { P: 2 } }), sizes: frameSizes, scenes: 2 },
  ];

const written = new Map<string, Uint8Array>();

/** The bytes of a fixture, written once. */
function bytesOf(name: string, spec: LsmSpec): Uint8Array {
  const bytes = written.get(name) ?? writeLsm(spec);
  written.set(name, bytes);
  return bytes;
}

const cases: ConformanceCase[] = rows.map(({ name, spec, sizes, scenes = 1, type = 'uint16', file = 'file.lsm' }) => ({
  name,
  format: 'lsm',
  write: (at) => {
    const path = join(at, file);
    writeFileSync(path, bytesOf(name, spec));
    return path;
  },
  scenes: Array.from({ length: scenes }, () => ({
    sizes,
    channels: [...(spec.info.names ?? [])],
    sampleType: type,
  })),
}));

const root = tempFolder();
conformanceSuite('LSM', cases, () => mkdtempSync(join(root, 'case-')));
