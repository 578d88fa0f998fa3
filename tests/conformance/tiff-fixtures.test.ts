import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { tempFolder } from '../support/temp.js';
import { kymographSections, olympusText } from '../writers/olympus.js';
import { type RegionSpec, regionFrames } from '../writers/scanimage.js';
import { writeStk } from '../writers/stk.js';
import { type PageSpec, type TiffSpec, writeTiff } from '../writers/tiff.js';
import { type ConformanceCase, conformanceSuite } from './suite.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'case-'));

const WIDTH = 7;
const HEIGHT = 11;

function ramp<T extends SampleArray>(Type: new (length: number) => T, start = 0): T {
  const out = new Type(WIDTH * HEIGHT);
  for (let i = 0; i < out.length; i++)
    out[i] = (out instanceof BigUint64Array ? BigInt(start + i) : start + i) as never;
  return out;
}

const page = (over: Partial<PageSpec> = {}): PageSpec => ({
  width: WIDTH,
  height: HEIGHT,
  samples: ramp(Uint16Array),
  rowsPerStrip: 4,
  ...over,
});

/** Pages that differ; `tags` are those of the first. */
const numbered = (count: number, tags: PageSpec['tags'] = []) =>
  Array.from({ length: count }, (_, i) => page({ samples: ramp(Uint16Array, 100 * i), tags: i === 0 ? tags : [] }));

const text = (description: string) => [{ code: 270, type: 2, text: description }];
const rgb = () => [ramp(Uint8Array), ramp(Uint8Array, 50), ramp(Uint8Array, 90)];

interface Row {
  name: string;
  spec: TiffSpec;
  /** The one page of it is whole or refused. */
  refusesCuts?: boolean;
  sizes?: Partial<ConformanceCase['scenes'][number]['sizes']>;
  channels?: string[];
  sampleType?: string;
  file?: string;
  format?: string;
}

const OME =
  '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="7" SizeY="11" SizeC="2" SizeZ="1" SizeT="3"><Channel ID="Channel:0:0" Name="green"/><Channel ID="Channel:0:1" Name="red"/><TiffData/></Pixels></Image></OME>';

const rows: Row[] = [
  { name: 'strips', refusesCuts: true, spec: { pages: [page()] } },
  { name: 'big-endian BigTIFF', refusesCuts: true, spec: { littleEndian: false, big: true, pages: [page()] } },
  { name: 'tiles', refusesCuts: true, spec: { pages: [page({ tile: { width: 16, height: 16 } })] } },
  { name: 'deflate, predictor 2', spec: { pages: [page({ compression: 8, predictor: 2 })] } },
  { name: 'LZW', spec: { pages: [page({ compression: 5 })] } },
  { name: 'PackBits', refusesCuts: true, spec: { pages: [page({ compression: 32_773 })] } },
  { name: '12 bit packed', refusesCuts: true, spec: { pages: [page({ bits: 12 })] } },
  {
    name: 'int32',
    refusesCuts: true,
    spec: { pages: [page({ samples: ramp(Int32Array, -40) })] },
    sampleType: 'int32',
  },
  {
    name: 'uint64',
    refusesCuts: true,
    spec: { pages: [page({ samples: ramp(BigUint64Array) })] },
    sampleType: 'uint64',
  },
  {
    name: 'float16',
    refusesCuts: true,
    spec: { pages: [page({ samples: ramp(Float32Array), bits: 16 })] },
    sampleType: 'float16',
  },
  {
    name: 'float32, predictor 3',
    spec: { pages: [page({ samples: ramp(Float32Array, 0.5), compression: 8, predictor: 3 })] },
    sampleType: 'float32',
  },
  {
    name: 'RGB interleaved',
    refusesCuts: true,
    spec: { pages: [page({ samples: rgb(), photometric: 2 })] },
    channels: ['R', 'G', 'B'],
    sampleType: 'uint8',
  },
  {
    name: 'RGB planar tiles',
    refusesCuts: true,
    spec: { pages: [page({ samples: rgb(), photometric: 2, planar: true, tile: { width: 16, height: 16 } })] },
    channels: ['R', 'G', 'B'],
    sampleType: 'uint8',
  },
  { name: 'pages', spec: { pages: numbered(3) }, sizes: { Z: 3 } },
  {
    name: 'ImageJ in one IFD',
    spec: {
      littleEndian: false,
      pages: [
        page({
          rowsPerStrip: HEIGHT,
          tags: text('ImageJ=1.53t\nimages=4\nchannels=2\nframes=2\nhyperstack=true\nunit=um\nfinterval=0.5\n'),
          extraPlanes: [ramp(Uint16Array, 100), ramp(Uint16Array, 200), ramp(Uint16Array, 300)],
        }),
      ],
    },
    channels: ['CH1', 'CH2'],
    sizes: { T: 2 },
  },
  {
    name: 'OME-TIFF',
    file: 'file.ome.tif',
    format: 'ome.tif',
    spec: { pages: numbered(6, text(OME)) },
    channels: ['green', 'red'],
    sizes: { T: 3 },
  },
];

const REGIONS = {
  'hChannels.channelSave': 1,
  'hRoiManager.mroiEnable': 1,
  'hRoiManager.linePeriod': 0.001,
  'hScan2D.flytoTimePerScanfield': 0.002,
};

const cases: ConformanceCase[] = rows.map((row) => ({
  name: row.name,
  format: row.format ?? 'tif',
  refusesCuts: row.refusesCuts ?? false,
  write: (at) => {
    const path = join(at, row.file ?? 'file.tif');
    writeFileSync(path, writeTiff(row.spec));
    return path;
  },
  scenes: [
    {
      sizes: { T: 1, Z: 1, Y: HEIGHT, X: WIDTH, ...row.sizes },
      channels: row.channels ?? ['CH1'],
      sampleType: row.sampleType ?? 'uint16',
    },
  ],
}));

cases.push(
  {
    name: 'Olympus kymograph with its text file',
    format: 'tif',
    write: (at) => {
      const path = join(at, 'kymo.tif');
      writeFileSync(
        path,
        writeTiff({ pages: [page({ width: 4, height: 6, samples: new Uint16Array(24).map((_, i) => i * 9) })] }),
      );
      writeFileSync(join(at, 'kymo.txt'), olympusText({ sections: oneChannel() }));
      return path;
    },
    scenes: [{ sizes: { T: 1, Z: 1, Y: 6, X: 4 }, channels: ['RNDD1'], sampleType: 'uint16' }],
  },
  {
    name: 'MetaMorph STK',
    format: 'stk',
    write: (at) => {
      const path = join(at, 'stack.stk');
      const planes = [0, 50, 100].map((start) => ({
        samples: ramp(Uint16Array, start),
        info: { z: [start, 1] as [number, number] },
      }));
      writeFileSync(path, writeStk({ width: WIDTH, height: HEIGHT, planes }));
      return path;
    },
    scenes: [{ sizes: { T: 1, Z: 3, Y: HEIGHT, X: WIDTH }, channels: ['CH1'], sampleType: 'uint16' }],
  },
  {
    name: 'ScanImage regions of interest',
    format: 'tif',
    write: (at) => {
      const path = join(at, 'regions.tif');
      const frames = {
        shown: [
          [0, 1],
          [0, 1],
        ],
        height: 9,
        between: 2,
      };
      writeFileSync(path, regionFrames(REGIONS, [roi('a', 4), roi('b', 3)], frames));
      return path;
    },
    scenes: [4, 3].map((Y) => ({ sizes: { T: 2, Z: 1, Y, X: 4 }, channels: ['Channel 1'], sampleType: 'int16' })),
  },
);

function roi(name: string, lines: number): RegionSpec {
  return { name, pixels: [4, lines], degrees: [1, 1] };
}

function oneChannel(): ReturnType<typeof kymographSections> {
  const sections = kymographSections();
  delete sections['Channel 2'];
  return { ...sections, Dimensions: { ...sections['Dimensions'], 'Channel Dimension': '1 [Ch]' } };
}

conformanceSuite('TIFF', cases, folder);
