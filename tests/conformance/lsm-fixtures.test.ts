import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { evenStamps, frames, lineScan } from '../support/lsm.js';
import { ArrayFacts, readNative } from '../support/native.js';
import type { SparseSource } from '../support/sparse-source.js';
import { tempFolder } from '../support/temp.js';
import { type LsmSpec, writeLsm } from '../writers/lsm.js';
import { largeLsm } from '../writers/lsm-large.js';
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
      spec: frames({ bits: 8, value: ({ image, channel, y, x }) => 100 * channel + 15 * image + 5 * y + x }),
      sizes: frameSizes,
      type: 'uint8',
    },
    { name: 'frames in float', spec: frames({ bits: 32 }), sizes: frameSizes, type: 'float32' },
    {
      name: 'positions',
      spec: frames({ info: { P: 2 }, value: ({ image, channel, y, x }) => 2000 * channel + 100 * image + 5 * y + x }),
      sizes: frameSizes,
      scenes: 2,
    },
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

/** `scripts/check-lsm.py` compares these with an independent reader. */
it.runIf(process.env.ACQSTORE_FIXTURES_DIR)('writes the fixtures for an independent reader', async () => {
  const out = join(process.env.ACQSTORE_FIXTURES_DIR ?? '', 'lsm');
  mkdirSync(out, { recursive: true });
  const facts: Record<string, { planes: number; sha256: string }> = {};
  const add = async (name: string, write: (path: string) => void) => {
    const path = join(out, `${name.replaceAll(' ', '-')}.lsm`);
    write(path);
    facts[path.slice(out.length + 1)] = await factsOf(path);
  };
  for (const { name, spec } of rows) await add(name, (path) => writeFileSync(path, writeLsm(oneValue(spec))));
  const large = { width: 64, height: 64, channels: 1, T: 8, Z: 2, scanType: 6, stride: 322_122_547 };
  await add('series of 5 GB', (path) => writeSparse(path, largeLsm({ ...large, scenes: 1 })));
  await add('series of 5 GB with thumbnails first', (path) =>
    writeSparse(path, largeLsm({ ...large, scenes: 1, thumbnailFirst: true })),
  );
  await add('positions of 14 GB', (path) => writeSparse(path, largeLsm({ ...large, scenes: 3 })));
  writeFileSync(join(out, 'facts.json'), JSON.stringify(facts, null, 1));
});

/** BitsPerSample as a single value: of two, the independent reader believes only those at an offset. */
function oneValue(spec: LsmSpec): LsmSpec {
  const bits = { code: 258, type: 3, values: [spec.bits ?? 16] };
  return { ...spec, page: (page) => ({ ...page, tags: [...(page.tags ?? []), bits] }) };
}

/** All planes of all scenes: scene, time, depth, channel. */
async function factsOf(path: string): Promise<{ planes: number; sha256: string }> {
  const opened = await openAcquisition(path);
  const all = new ArrayFacts();
  let planes = 0;
  for (const [scene, { sizes, channels, sampleType }] of opened.acquisition.info.scenes.entries()) {
    for (let t = 0; t < sizes.T; t++) {
      for (let z = 0; z < sizes.Z; z++) {
        for (let channel = 0; channel < channels.length; channel++, planes++) {
          all.add(await readNative(opened, scene, { channel, t, z }), sampleType);
        }
      }
    }
  }
  opened.close();
  return { planes, sha256: all.digest() };
}

/** The file with its holes. */
function writeSparse(path: string, source: SparseSource): void {
  const fd = openSync(path, 'w');
  ftruncateSync(fd, source.size);
  for (const { offset, bytes } of source.pieces) writeSync(fd, bytes, 0, bytes.length, offset);
  closeSync(fd);
}
