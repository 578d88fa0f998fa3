import { openBytes } from '../support/memory.js';
import { date, double, int, text, writeZvi, type ZviPlaneSpec } from '../writers/zvi.js';
import { describeDamagedFiles } from './damaged-files.js';
import { hostileCases } from './mutate.js';

const pixels = (bytes: number, seed: number) =>
  Uint8Array.from({ length: 6 * 4 * bytes }, (_, i) => (91 * seed + 29 * i) & 255);
const tags = { 769: double(0.1), 770: int(76), 1025: date(45_000.5) };
const planes: ZviPlaneSpec[] = [0, 1].flatMap((t) =>
  [0, 1].map((c) => ({
    ...{ t, c, pixels: pixels(2, 2 * t + c) },
    tags: { 300: date(t / 1000), 1284: text(`C${c}`), 2072: double(5) },
  })),
);
const series = writeZvi({ type: 'uint16', size: [6, 4], planes, tags });
const compressed = writeZvi({
  ...{ type: 'bgr', size: [6, 4], tags },
  planes: [0, 1].map((p) => ({ p, compression: 'zlib', pixels: pixels(3, p) })),
});

describeDamagedFiles('a corrupted ZVI file', {
  cases: hostileCases(20_000),
  files: [
    { name: 'a series', bytes: series },
    { name: 'compressed positions', bytes: compressed },
  ],
  open: (bytes) => openBytes('demo.zvi', bytes),
});
