/**
 * What the tests of the assembled page open: files of our own and, in `npm run test:long`, real ones where they lie beside
 * the repository.
 */
import { join } from 'node:path';
import { lineScan } from '../../support/bruker.js';
import { LONG } from '../../support/long.js';
import { samplesRoot } from '../../support/samples.js';
import { writeTemp } from '../../support/temp.js';
import { writeBruker } from '../../writers/bruker.js';
import { omeXml } from '../../writers/ome.js';
import { writeTiff } from '../../writers/tiff.js';

const KYMOGRAPH = 'tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif';
const MULTI_CHANNEL = 'czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170.czi';
const REFERENCE = 'bruker/swharden+ScanAGator/LineScan-08092022-1225-528/LineScan-08092022-1225-528.xml';

const real = (relative: string) =>
  LONG && samplesRoot !== undefined ? [['real', join(samplesRoot, relative)] as const] : [];
if (LONG && samplesRoot === undefined)
  console.warn('\n*** NOT RUN in the viewer: the real acquisition files are not there ***\n');

/** 8 lines of 4 pixels with the values 0 … 31. */
export function rampFile(folder: string): string {
  const samples = Uint16Array.from({ length: 32 }, (_, i) => i);
  return writeTemp(folder, 'ramp.tif', writeTiff({ pages: [{ width: 4, height: 8, samples }] }));
}

/** 5 time points, 0.5 s apart, of 2 sections of 8 × 4 samples: the values 0 … 31 in another order in each plane. */
export function rampStackFile(folder: string): string {
  const pages = Array.from({ length: 10 }, (_, n) => ({
    width: 4,
    height: 8,
    samples: Uint16Array.from({ length: 32 }, (_v, i) => (i * (2 * n + 1) + n) % 32),
  }));
  const sizes = { T: 5, Z: 2, C: 1, Y: 8, X: 4 };
  const pixels = { TimeIncrement: 0.5, TimeIncrementUnit: 's' };
  return omeTiff(folder, 'ramps.ome.tif', pages, { sizes, pixels, children: ['<TiffData/>'] });
}

/** 2 × 3: NaN, an infinity, −1; 0, 0.5, 1. */
export function nanFile(folder: string): string {
  const samples = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 0.5, 1);
  return writeTemp(folder, 'nan.tif', writeTiff({ pages: [{ width: 3, height: 2, samples }] }));
}

const SHAPE = { T: 3, Z: 2, C: 3, Y: 10, X: 12 };

function multiValue(t: number, z: number, c: number, y: number, x: number): number {
  return 1000 * t + 4000 * z + 100 * c + 7 * y + x * (c + 1);
}

function multiFile(folder: string): string {
  const { T, Z, C, Y, X } = SHAPE;
  const pages = [];
  for (let t = 0; t < T; t++) {
    for (let z = 0; z < Z; z++) {
      for (let c = 0; c < C; c++) {
        const samples = Uint16Array.from({ length: Y * X }, (_, i) => multiValue(t, z, c, Math.floor(i / X), i % X));
        pages.push({ width: X, height: Y, samples });
      }
    }
  }
  const channels = ['Nuclei', 'Actin', 'Calcium'].map((name, i) => `<Channel ID="Channel:0:${i}" Name="${name}"/>`);
  const pixels = { PhysicalSizeX: 0.5, PhysicalSizeXUnit: 'µm', PhysicalSizeY: 0.5, PhysicalSizeYUnit: 'µm' };
  return omeTiff(folder, 'multi.ome.tif', pages, { sizes: SHAPE, pixels, children: [...channels, '<TiffData/>'] });
}

/** Fluorescence and transmitted light. */
export function transmittedFile(folder: string): string {
  const samples = Uint16Array.from({ length: 120 }, (_, i) => 100 + i);
  const pages = Array.from({ length: 2 }, () => ({ width: 12, height: 10, samples }));
  const channels = [
    '<Channel ID="Channel:0:0" Name="GFP"/>',
    '<Channel ID="Channel:0:1" Name="BF" IlluminationType="Transmitted"/>',
  ];
  const sizes = { T: 1, Z: 1, C: 2, Y: 10, X: 12 };
  return omeTiff(folder, 'light.ome.tif', pages, { sizes, pixels: {}, children: [...channels, '<TiffData/>'] });
}

type TiffPages = Parameters<typeof writeTiff>[0]['pages'];
type OmeImage = Parameters<typeof omeXml>[0]['images'][number];

export function omeTiff(folder: string, name: string, pages: TiffPages, image: OmeImage): string {
  const [first, ...rest] = pages;
  if (!first) throw new Error('no page');
  const bytes = new TextEncoder().encode(`${omeXml({ images: [image] })}\0`);
  return writeTemp(folder, name, writeTiff({ pages: [{ ...first, tags: [{ code: 270, type: 2, bytes }] }, ...rest] }));
}

/** [kind, path] of line scans. The sample that comes with the product is the one of our own. */
export const kymographs = (sample: string) => [['our own', sample] as const, ...real(KYMOGRAPH)];

/** Several channels, and time points and sections to choose from. */
export const multiChannels = (folder: string) => [['our own', multiFile(folder)] as const, ...real(MULTI_CHANNEL)];

/** Two channels scanned along a line that lies in a reference image. */
export const withReferences = (folder: string) => [
  ['our own', writeBruker(folder, lineScan(1, [1, 2]))] as const,
  ...real(REFERENCE),
];
