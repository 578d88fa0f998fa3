import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder, writeTemp } from '../support/temp.js';
import { type OirSpec, writeOir, writeOirSet } from '../writers/oir.js';
import { colourImage, lambdaScan, lineScan, stillImage, timeDepthSeries, timeSeries } from '../writers/oir-kinds.js';
import { writeZip } from '../writers/zip.js';
import { type ConformanceCase, conformanceSuite } from './suite.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'case-'));

function single(name: string, spec: OirSpec, scene: ConformanceCase['scenes'][number]): ConformanceCase {
  const bytes = writeOir(spec);
  return { name, write: (at) => writeTemp(at, 'a.oir', bytes), format: 'oir', scenes: [scene] };
}

const LINE = lineScan(700, 12, 16, { bandBytes: 312 });
const LINE_SCENE = { sizes: { T: 1, Z: 1, Y: 700, X: 12 }, channels: ['CH1'], sampleType: 'uint16' };
const SERIES_SCENE = { sizes: { T: 6, Z: 1, Y: 8, X: 8 }, channels: ['CH1'], sampleType: 'uint16' };
const [MAIN, PART] = writeOirSet(timeSeries(6, 8), [4, 2]) as [Uint8Array, Uint8Array];

conformanceSuite(
  'OIR',
  [
    single('line scan with an overview', LINE, LINE_SCENE),
    single(
      'time and depth, two channels',
      { ...timeDepthSeries(9), t: 3, z: 2 },
      { sizes: { T: 3, Z: 2, Y: 9, X: 9 }, channels: ['CH1', 'CH2'], sampleType: 'uint16' },
    ),
    single('three channels of 8 bits', stillImage(40), {
      sizes: { T: 1, Z: 1, Y: 40, X: 40 },
      channels: ['CH1', 'CH2', 'CH3'],
      sampleType: 'uint8',
    }),
    single('colors of a camera', colourImage(), {
      sizes: { T: 1, Z: 1, Y: 32, X: 32 },
      channels: ['R', 'G', 'B'],
      sampleType: 'uint8',
    }),
    single(
      'wavelengths',
      { ...lambdaScan(), z: 1, lambda: 2 },
      {
        sizes: { T: 1, Z: 1, Y: 16, X: 16 },
        channels: ['CH1 500 nm', 'CH1 510 nm', 'CH2 500 nm', 'CH2 510 nm'],
        sampleType: 'uint16',
      },
    ),
    {
      name: 'a recording in two files',
      write(at) {
        writeTemp(at, 'rec_00001', PART);
        return writeTemp(at, 'rec.oir', MAIN);
      },
      format: 'oir',
      scenes: [SERIES_SCENE],
    },
    {
      name: 'an archive of recordings',
      refusesCuts: true,
      write: (at) =>
        writeTemp(
          at,
          'set.poir',
          writeZip([
            { name: 'line.oir', bytes: writeOir(LINE), deflate: true },
            { name: 'series.oir', bytes: writeOir(timeSeries(6, 8)) },
          ]),
        ),
      format: 'poir',
      scenes: [LINE_SCENE, SERIES_SCENE],
    },
  ],
  folder,
);
