import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { images, imagingPlane, movie, type NwbSpec, series, writeNwb } from '../writers/nwb.js';
import { writeTiff } from '../writers/tiff.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write =
  (spec: NwbSpec, name = 'demo.nwb') =>
  (at: string) => {
    const path = join(at, name);
    writeFileSync(path, writeNwb(spec));
    return path;
  };

const planes = { p: imagingPlane({ spacing: [5e-7, 2.5e-7], channels: ['Green'] }) };
const frames = (over = {}) => series({ data: { ...movie(2, 4, 3), ...over }, dimension: [4, 3], rate: 10, plane: 'p' });
const lines = series({
  type: 'TimeSeries',
  data: { data: Float32Array.from({ length: 240 }, (_, i) => i), shape: [30, 8], chunks: [7, 8], filters: ['gzip'] },
  rate: 500,
});
const overview = images({ a: { data: movie(1, 4, 3).data, shape: [4, 3], resolution: 2000 } });

const FRAMES = { sizes: { T: 2, Z: 1, Y: 3, X: 4 }, channels: ['Green'], sampleType: 'uint16' };
const LINES = { sizes: { T: 1, Z: 1, Y: 30, X: 8 }, channels: ['Lines'], sampleType: 'float32' };
const IMAGE = { sizes: { T: 1, Z: 1, Y: 3, X: 4 }, channels: ['a'], sampleType: 'uint16' };

conformanceSuite(
  'NWB',
  [
    {
      name: 'a series of frames',
      format: 'nwb',
      write: write({ acquisition: { S: frames() }, planes }),
      scenes: [FRAMES],
      refusesCuts: true,
    },
    {
      name: 'chunks, named as HDF5',
      format: 'nwb',
      write: write(
        { acquisition: { S: frames({ chunks: [2, 3, 2], filters: ['shuffle', 'lzf'] }) }, planes, kind: 'new' },
        'demo.h5',
      ),
      scenes: [FRAMES],
      refusesCuts: true,
    },
    {
      name: 'a line scan with an image',
      format: 'nwb',
      write: write({ acquisition: { Images: overview, Lines: lines } }),
      scenes: [LINES, IMAGE],
      refusesCuts: true,
    },
    {
      name: 'frames in a TIFF beside it',
      format: 'nwb',
      write(at) {
        const page = (n: number) => ({
          width: 4,
          height: 3,
          samples: Uint16Array.from({ length: 12 }, (_, i) => n + i),
        });
        writeFileSync(join(at, 'frames.tif'), writeTiff({ pages: [page(0), page(100)] }));
        return write({ acquisition: { S: series({ external: ['frames.tif'], rate: 10, plane: 'p' }) }, planes })(at);
      },
      scenes: [FRAMES],
    },
  ],
  () => mkdtempSync(join(root, 'nwb-')),
);
