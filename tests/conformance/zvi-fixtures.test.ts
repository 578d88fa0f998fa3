import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { date, double, int, text, writeZvi, type ZviPlaneSpec, type ZviSpec } from '../writers/zvi.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const [X, Y] = [6, 4];
const pixels = (bytes: number, seed: number) =>
  Uint8Array.from({ length: X * Y * bytes }, (_, i) => (31 * seed + 7 * i) & 127);
const MICROMETERS = { 769: double(0.1), 770: int(76), 772: double(0.1), 773: int(76), 775: double(0.3), 776: int(76) };

/** Two channels, two sections and three time points. */
const series: ZviPlaneSpec[] = [0, 1, 2].flatMap((t) =>
  [1, 4].flatMap((c) =>
    [0, 1].map((z) => ({
      ...{ t, c, z, pixels: pixels(2, 12 * t + 3 * c + z) },
      tags: { 300: date((5 * t) / 86_400), 1284: text(c === 1 ? 'DAPI' : 'eGFP'), 2072: double(0.3 * z) },
    })),
  ),
);
const write = (spec: Pick<ZviSpec, 'type' | 'planes'>) => (at: string) => {
  const path = join(at, 'demo.zvi');
  writeFileSync(path, writeZvi({ size: [X, Y], tags: MICROMETERS, ...spec }));
  return path;
};
const scene = (sizes: object, channels: string[], sampleType: string) => ({
  sizes: { T: 1, Z: 1, Y, X, ...sizes },
  channels,
  sampleType,
});
// The allocation table of the container is behind the planes.
const refusesCuts = true;
const positions = [0, 1].map((p) => ({ p, pixels: pixels(1, p) }));

conformanceSuite(
  'Zeiss ZVI',
  [
    {
      ...{ name: 'a series', format: 'zvi', write: write({ type: 'uint16', planes: series }) },
      scenes: [scene({ T: 3, Z: 2 }, ['DAPI', 'eGFP'], 'uint16')],
      refusesCuts,
    },
    {
      ...{ name: 'positions', format: 'zvi', write: write({ type: 'uint8', planes: positions }) },
      scenes: [scene({}, ['CH1'], 'uint8'), scene({}, ['CH1'], 'uint8')],
      refusesCuts,
    },
    {
      ...{ name: 'a snapshot', format: 'zvi', write: write({ type: 'bgr', planes: [{ pixels: pixels(3, 1) }] }) },
      scenes: [scene({}, ['Red', 'Green', 'Blue'], 'uint8')],
      refusesCuts,
    },
    {
      name: 'compressed planes',
      format: 'zvi',
      write: write({ type: 'uint16', planes: series.map((plane) => ({ ...plane, compression: 'zlib' as const })) }),
      scenes: [scene({ T: 3, Z: 2 }, ['DAPI', 'eGFP'], 'uint16')],
      refusesCuts,
    },
  ],
  () => mkdtempSync(join(root, 'zvi-')),
);
