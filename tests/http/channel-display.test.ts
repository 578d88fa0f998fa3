import { mkdtempSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Channel } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { lineScan as brukerScan, NAME } from '../support/bruker.js';
import { volume } from '../support/hdf5.js';
import { seriesVector } from '../support/lif.js';
import { timeSeries } from '../support/nd2.js';
import { lineScan } from '../support/oif.js';
import { smallImage } from '../support/ome-zarr.js';
import { openOk } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { brukerFiles } from '../writers/bruker.js';
import { writeCzi } from '../writers/czi.js';
import { color, cziXml, stack } from '../writers/czi-kinds.js';
import { acquisitionParameters, mmHead } from '../writers/fluoview.js';
import { imageJLut, imageJTags } from '../writers/imagej.js';
import { writeIms } from '../writers/ims.js';
import { writeLif } from '../writers/lif.js';
import { dataChannels, recording, writeLsm } from '../writers/lsm.js';
import { writeMicroManager } from '../writers/micro-manager.js';
import { picture, writeNd2 } from '../writers/nd2.js';
import { images, writeNwb } from '../writers/nwb.js';
import { type OifSpec, writeOib, writeOif } from '../writers/oif.js';
import { channelId, writeOir } from '../writers/oir.js';
import { colourImage, lineScan as oirScan } from '../writers/oir-kinds.js';
import { omeXml } from '../writers/ome.js';
import { imageFiles, writeStore } from '../writers/ome-zarr.js';
import { alsMeta, alsSamples, asciiTag, scanimageText } from '../writers/scanimage.js';
import { writeStk } from '../writers/stk.js';
import { type PageSpec, type TagSpec, writeTiff } from '../writers/tiff.js';

type Shown = Pick<Channel, 'name' | 'color' | 'role' | 'window'>;

interface Case {
  name: string;
  /** Writes the fixture into an empty folder; returns the path to open. */
  write(folder: string): string | Promise<string>;
  channels: Shown[];
  reference?: Shown[];
}

const RED = '#FF0000';
const GREEN = '#00FF00';
const BLUE = '#0000FF';
const RGB: Shown[] = [
  { name: 'R', color: RED },
  { name: 'G', color: GREEN },
  { name: 'B', color: BLUE },
];

const channelXml = (i: number, name: string, inside: string) =>
  `<Channel Id="Channel:${i}" Name="${name}">${inside}</Channel>`;

/** The stack of two channels, described by these elements. */
const czi = (channels: string[], display: string[]) =>
  writeCzi({
    ...stack(1, 1),
    xml: cziXml({
      channels,
      more: display.length > 0 ? `<DisplaySetting><Channels>${display.join('')}</Channels></DisplaySetting>` : '',
    }),
  });

const page = (tags: TagSpec[] = [], over: Partial<PageSpec> = {}): PageSpec => ({
  width: 4,
  height: 3,
  samples: new Uint16Array(12),
  tags,
  ...over,
});
const described = (text: string, tags: TagSpec[] = []) => [asciiTag(270, text), ...tags];
const sampled = (type: new (length: number) => Uint8Array | Uint16Array, photometric: number): PageSpec =>
  page([], { samples: [new type(12), new type(12), new type(12)], photometric });

const ome = (channels: string[]) =>
  omeXml({ images: [{ sizes: { X: 4, Y: 3, C: channels.length }, children: [...channels, '<TiffData/>'] }] });

const lsm = (over: Partial<Parameters<typeof writeLsm>[0]['info']>) =>
  writeLsm({
    width: 4,
    rows: 3,
    channels: 2,
    bits: 16,
    value: () => 1,
    info: { X: 4, Y: 3, C: 2, dataType: 3, names: ['Ch1', 'ChT'], ...over },
  });

const nd2 = (luts: string) =>
  writeNd2(
    timeSeries({
      picture: picture({
        channels: [
          { name: 'TD', color: 0xffffff, modality: 0x100_0201 },
          { name: 'GFP', color: 0x0fe978 },
        ],
      }),
      luts,
    }),
  );
const lutXml = (shown: boolean, ranges: [number, number][]) =>
  '<?xml version="1.0" encoding="UTF-8"?><variant version="1.0"><no_name runtype="CLxListVariant">' +
  `<m_bViewLut runtype="bool" value="${shown}"/><m_sLutParam runtype="CLxListVariant">` +
  `<uiLutComponentCount runtype="lx_uint32" value="${ranges.length}"/><sCompLutParam runtype="CLxListVariant">` +
  ranges
    .map(
      ([min, max], i) =>
        `<a0${i} runtype="CLxListVariant"><uiMinSrc runtype="lx_uint32" value="${min}"/>` +
        `<uiMaxSrc runtype="lx_uint32" value="${max}"/></a0${i}>`,
    )
    .join('') +
  '</sCompLutParam></m_sLutParam></no_name></variant>';

const ramp =
  (red: number, green: number, blue: number) =>
  (i: number): [number, number, number] => [(red * (i >> 8)) >> 8, (green * (i >> 8)) >> 8, (blue * (i >> 8)) >> 8];
const oif: Partial<OifSpec> = {
  channels: ['CHS1', 'TD1'],
  lightTypes: ['Fluorescence', 'Transmitted Light'],
  luts: [ramp(0, 256, 0), (i) => (i < 40_000 ? [0, 0, i >> 8] : [255, 0, 0])],
};
const OIF_CHANNELS: Shown[] = [
  { name: 'CHS1', color: GREEN },
  { name: 'TD1', role: 'transmitted' },
];

const hex = (value: number) => value.toString(16).padStart(2, '0');
const oirLut = (linear: boolean) => ({
  linear,
  data: Array.from({ length: 256 }, (_, i) => `${hex(i)}00${hex(i)}ff`).join(''),
});

const fluoViewText = (channel: number, color: 'red' | 'green', range: string) => [
  `Map Ch${channel}: Range=${range}`,
  `[LUT Ch${channel}]`,
  ...Array.from({ length: 256 }, (_, i) => {
    const part = String(i).padStart(3, '0');
    return `RGB ${i}=${color === 'red' ? `${part}\t000` : `000\t${part}`}\t000`;
  }),
  `[LUT Ch${channel} End]`,
];
const dimension = (name: string, size: number) => ({ name, size, resolution: 1, unit: 'um' });

const SCANIMAGE = {
  'hChannels.channelSave': '[1;3]',
  'hChannels.channelName': "{'Green' 'x' 'Red'}",
  'hChannels.channelLUT': '{[-277 696] [0 100] [1 1296]}',
  'hChannels.channelMergeColor': "{'green' 'none' 'red'}",
};
const SCANIMAGE_CHANNELS: Shown[] = [
  { name: 'Green', color: GREEN, window: { start: -277, end: 696 } },
  { name: 'Red', color: RED, window: { start: 1, end: 1296 } },
];

const colorMap = (entry: (i: number) => number[]): TagSpec => ({
  code: 320,
  type: 3,
  values: [0, 1, 2].flatMap((c) => Array.from({ length: 256 }, (_, i) => entry(i)[c] as number)),
});

const CASES: Case[] = [
  {
    name: 'CZI: the display before the image, by id and by place',
    write: (at) =>
      writeTemp(
        at,
        'a.czi',
        czi(
          [
            channelXml(0, 'EGFP', '<Color>#FF00FF5B</Color><IlluminationType>Epifluorescence</IlluminationType>'),
            channelXml(1, 'Bright', '<IlluminationType>Transmitted</IlluminationType>'),
          ],
          [
            channelXml(0, 'EGFP', '<Low>-0</Low><High>0.5</High><Color>#FF00A1FF</Color>'),
            '<Channel Id="other"><PixelType>Gray8</PixelType><High>1</High><OriginalColor>#FFFFFFFF</OriginalColor></Channel>',
          ],
        ),
      ),
    channels: [
      { name: 'EGFP', color: '#00A1FF', window: { start: 0, end: 32_767.5 } },
      { name: 'Bright', color: '#FFFFFF', role: 'transmitted', window: { start: 0, end: 255 } },
    ],
  },
  {
    name: 'CZI: the image alone, and what is no color',
    write: (at) =>
      writeTemp(
        at,
        'a.czi',
        czi([channelXml(0, 'a', '<Color>#FF00FF5B</Color>'), channelXml(1, 'b', '<Color>green</Color>')], []),
      ),
    channels: [{ name: 'a', color: '#00FF5B' }, { name: 'b' }],
  },
  { name: 'CZI in color', write: (at) => writeTemp(at, 'a.czi', writeCzi(color('Bgr24'))), channels: RGB },
  {
    name: 'LSM: the table of colors',
    write: (at) =>
      writeTemp(
        at,
        'a.lsm',
        lsm({
          colors: [
            [255, 128, 0, 0],
            [0, 0, 0, 0],
          ],
        }),
      ),
    channels: [{ name: 'Ch1', color: '#FF8000' }, { name: 'ChT' }],
  },
  {
    name: 'LSM: the acquired data channels',
    write: (at) =>
      writeTemp(
        at,
        'a.lsm',
        writeLsm({
          width: 4,
          rows: 3,
          bits: 16,
          value: () => 1,
          info: {
            X: 4,
            Y: 3,
            C: 1,
            dataType: 3,
            scan: recording(
              ...dataChannels(
                { name: 'Ch1', acquired: false, color: 0xff00 },
                { name: 'Ch2', acquired: true, color: 0xff },
              ),
            ),
          },
        }),
      ),
    channels: [{ name: 'Ch2', color: RED }],
  },
  {
    name: 'ND2: colors, light and LUTs',
    write: (at) =>
      writeTemp(
        at,
        'a.nd2',
        nd2(
          lutXml(true, [
            [521, 56_606],
            [9, 9],
          ]),
        ),
      ),
    channels: [
      { name: 'TD', color: '#FFFFFF', role: 'transmitted', window: { start: 521, end: 56_606 } },
      { name: 'GFP', color: '#78E90F' },
    ],
  },
  {
    name: 'ND2: LUTs that are switched off',
    write: (at) =>
      writeTemp(
        at,
        'a.nd2',
        nd2(
          lutXml(false, [
            [1, 2],
            [3, 4],
          ]),
        ),
      ),
    channels: [
      { name: 'TD', color: '#FFFFFF', role: 'transmitted' },
      { name: 'GFP', color: '#78E90F' },
    ],
  },
  {
    name: 'LIF: names of color tables, and a detector for transmitted light',
    write: (at) => {
      const detectors =
        '<DetectorList><Detector Name="HyD 1" Channel="1" IsActive="1"/>' +
        '<Detector Name="PMT Trans" Channel="2" IsActive="1"/></DetectorList>';
      const image = seriesVector({ settings: { ScanMode: 'xyzt' }, inside: detectors });
      image.channels[1] = { bytesInc: 20, lut: 'Glow' };
      return writeTemp(at, 'a.lif', writeLif({ elements: [image] }));
    },
    channels: [
      { name: 'HyD 1', color: GREEN },
      { name: 'PMT Trans', role: 'transmitted' },
    ],
  },
  {
    name: 'LIF in color',
    write: (at) => {
      const channels = [3, 2, 1].map((tag, i) => ({ bytesInc: i, tag, lut: 'Gray' }));
      const dimensions = [
        { id: 1, count: 2, bytesInc: 3 },
        { id: 2, count: 2, bytesInc: 6 },
      ];
      const image = { name: 'Color', channels, dimensions, data: new Uint8Array(12) };
      return writeTemp(at, 'a.lif', writeLif({ elements: [image] }));
    },
    channels: [
      { name: 'Red', color: RED },
      { name: 'Green', color: GREEN },
      { name: 'Blue', color: BLUE },
    ],
  },
  {
    name: 'OIF: look-up tables that are ramps, light; the reference too',
    write: (at) => writeOif(at, lineScan(oif)),
    channels: OIF_CHANNELS,
    reference: [{ name: 'CHS1', color: GREEN }],
  },
  {
    name: 'OIB: the same in one file',
    write: (at) => writeTemp(at, 'a.oib', writeOib(lineScan(oif))),
    channels: OIF_CHANNELS,
    reference: [{ name: 'CHS1', color: GREEN }],
  },
  {
    name: 'OIR: linear look-up tables; the reference too',
    write: (at) => {
      const channels = ['CH1', 'CH2'].map((name, i) => ({
        id: channelId(i + 1),
        name,
        order: String(i + 1),
        lut: oirLut(i === 0),
      }));
      return writeTemp(at, 'a.oir', writeOir({ ...oirScan(6, 4, 16), channels }));
    },
    channels: [{ name: 'CH1', color: '#FF00FF' }, { name: 'CH2' }],
    reference: [{ name: 'CH1', color: '#FF00FF' }, { name: 'CH2' }],
  },
  { name: 'OIR in color', write: (at) => writeTemp(at, 'a.oir', writeOir(colourImage())), channels: RGB },
  {
    name: 'OME-TIFF: signed and unsigned colors, light, and what is transparent',
    write: (at) => {
      const channels = [
        '<Channel Name="a" Color="16711935"/>',
        '<Channel Name="b" Color="4278190335" IlluminationType="Transmitted"/>',
        '<Channel Name="c" Color="-2147483648"/>',
        '<Channel Name="d" Color="-16776961"/>',
        '<Channel Name="e" Color="1e99"/>',
      ];
      const [first, ...rest] = channels.map((_, i) => page(i === 0 ? described(ome(channels)) : []));
      return writeTemp(at, 'a.ome.tif', writeTiff({ pages: [first as PageSpec, ...rest] }));
    },
    channels: [
      { name: 'a', color: GREEN },
      { name: 'b', color: RED, role: 'transmitted' },
      { name: 'c' },
      { name: 'd', color: RED },
      { name: 'e' },
    ],
  },
  {
    name: 'OME-TIFF in color, whatever the channel says',
    write: (at) => {
      const xml = omeXml({
        images: [
          { sizes: { X: 4, Y: 3, C: 3 }, children: ['<Channel Color="-1" SamplesPerPixel="3"/>', '<TiffData/>'] },
        ],
      });
      const one = { ...sampled(Uint16Array, 2), tags: described(xml) };
      return writeTemp(at, 'a.ome.tif', writeTiff({ pages: [one] }));
    },
    channels: RGB,
  },
  {
    name: 'ImageJ: look-up tables and ranges',
    write: (at) => {
      const luts = [imageJLut((i) => [i, 0, i]), imageJLut((i) => [255 - i, i, 0])];
      const tags = described('ImageJ=1.53t\nimages=2\nchannels=2\nmode=composite\n', [
        ...imageJTags({ labels: ['GCaMP', 'Fire'], luts, ranges: [1, 205, -5, 4095.5] }),
      ]);
      return writeTemp(at, 'a.tif', writeTiff({ littleEndian: false, pages: [page(tags), page()] }));
    },
    channels: [
      { name: 'GCaMP', color: '#FF00FF', window: { start: 1, end: 205 } },
      { name: 'Fire', window: { start: -5, end: 4095.5 } },
    ],
  },
  {
    name: 'ImageJ: the range of one channel',
    write: (at) => {
      const tags = described(
        'ImageJ=1.53t\nmin=477.0\nmax=563.0\n',
        imageJTags({ luts: [imageJLut((i) => [i, i, i])] }),
      );
      return writeTemp(at, 'a.tif', writeTiff({ pages: [page(tags)] }));
    },
    channels: [{ name: 'CH1', color: '#FFFFFF', window: { start: 477, end: 563 } }],
  },
  {
    name: 'ImageJ: 48-bit color',
    write: (at) => {
      const tags = described('ImageJ=1.53t\nimages=3\nchannels=3\nmode=composite\n');
      return writeTemp(at, 'a.tif', writeTiff({ pages: [{ ...sampled(Uint16Array, 2), tags }] }));
    },
    channels: RGB,
  },
  {
    name: 'Micro-Manager: colors of the summary',
    write: (at) => {
      const summary = { ChNames: ['Cy5', 'FITC'], ChColors: [-65_536, 'green'], Channels: 2, Frames: 1, Slices: 1 };
      const bytes = writeMicroManager({
        summary,
        pages: [page(), page()],
        index: [
          [0, 0, 0, 0],
          [1, 0, 0, 0],
        ],
      });
      return writeTemp(at, 'a_MMStack.tif', bytes);
    },
    channels: [{ name: 'Cy5', color: RED }, { name: 'FITC' }],
  },
  {
    name: 'MetaMorph STK: its scale',
    write: (at) => {
      const planes = [{ samples: new Uint16Array(12), info: { created: [2_455_699, 5] as [number, number] } }];
      return writeTemp(at, 'a.stk', writeStk({ width: 4, height: 3, planes, scale: [0, 120, 4000] }));
    },
    channels: [{ name: 'CH1', window: { start: 120, end: 4000 } }],
  },
  {
    name: 'MetaMorph STK: a scale that is found anew each time',
    write: (at) => {
      const planes = [{ samples: new Uint16Array(12), info: { created: [2_455_699, 5] as [number, number] } }];
      return writeTemp(at, 'a.stk', writeStk({ width: 4, height: 3, planes, scale: [1, 120, 4000] }));
    },
    channels: [{ name: 'CH1' }],
  },
  {
    name: 'FluoView: look-up tables, ranges and light',
    write: (at) => {
      const head = mmHead([dimension('X', 4), dimension('Y', 3), dimension('Ch', 2)]);
      const text = acquisitionParameters([
        'Channel 1=Fluorescence',
        'Channel 2=Transmitted Light',
        ...fluoViewText(0, 'green', '00000 to 01046'),
        ...fluoViewText(1, 'red', '00100 to 04095'),
      ]);
      return writeTemp(at, 'a.tif', writeTiff({ pages: [page([head, text]), page()] }));
    },
    channels: [
      { name: 'CH1', color: GREEN, window: { start: 0, end: 1046 } },
      { name: 'CH2', color: RED, role: 'transmitted', window: { start: 100, end: 4095 } },
    ],
  },
  {
    name: 'ScanImage: merge colors and LUTs of the saved channels',
    write: (at) => {
      const tags = [asciiTag(305, scanimageText(SCANIMAGE))];
      const one = page(tags, { samples: new Int16Array(12) });
      return writeTemp(at, 'a.tif', writeTiff({ pages: [one, one] }));
    },
    channels: SCANIMAGE_CHANNELS,
  },
  {
    name: 'ScanImage line scan: the same',
    write: (at) => {
      writeTemp(at, 'a.meta.txt', alsMeta({ ...SCANIMAGE, 'hScan2D.lineScanSamplesPerFrame': 2 }));
      return writeTemp(at, 'a.pmt.dat', alsSamples([1, 2, 3, 4]));
    },
    channels: SCANIMAGE_CHANNELS,
  },
  {
    name: 'TIFF in color',
    write: (at) => writeTemp(at, 'a.tif', writeTiff({ pages: [sampled(Uint8Array, 2)] })),
    channels: RGB,
  },
  {
    name: 'TIFF whose palette is a ramp',
    write: (at) => {
      const map = colorMap((i) => [0, 256 * i, 128 * i]);
      const one = page([map], { samples: new Uint8Array(12), photometric: 3 });
      return writeTemp(at, 'a.tif', writeTiff({ pages: [one] }));
    },
    channels: [{ name: 'CH1', color: '#00FF7F' }],
  },
  {
    name: 'TIFF with another palette',
    write: (at) => {
      const map = colorMap((i) => [257 * i, 257 * (255 - i), 0]);
      const one = page([map], { samples: new Uint8Array(12), photometric: 3 });
      return writeTemp(at, 'a.tif', writeTiff({ pages: [one] }));
    },
    channels: [{ name: 'CH1' }],
  },
  {
    name: 'Imaris: colors and ranges, and what is neither',
    write: (at) => {
      const spec = volume({
        channelAttributes: [
          { Color: '0.000 0.502 1.000', ColorRange: '12.000 3500.500' },
          { Color: '1.000 0.500', ColorRange: '9 9' },
        ],
      });
      return writeTemp(at, 'a.ims', writeIms(spec));
    },
    channels: [{ name: 'Green', color: '#0080FF', window: { start: 12, end: 3500.5 } }, { name: 'Red' }],
  },
  {
    name: 'OME-Zarr: omero',
    write: async (at) => {
      const channels = [{ label: 'GFP', color: '00ff7f', window: { start: 2, end: 9, min: 0, max: 99 } }];
      return writeStore(join(at, 'a.ome.zarr'), await imageFiles(smallImage({ ome: { omero: { channels } } })));
    },
    channels: [{ name: 'GFP', color: '#00FF7F', window: { start: 2, end: 9 } }],
  },
  {
    name: 'NWB: an image in color',
    write: (at) => {
      const photo = { data: new Uint8Array(4 * 3 * 3), shape: [4, 3, 3], type: 'RGBImage' };
      return writeTemp(at, 'a.nwb', writeNwb({ acquisition: { Pictures: images({ photo }) } }));
    },
    channels: [
      { name: 'Red', color: RED },
      { name: 'Green', color: GREEN },
      { name: 'Blue', color: BLUE },
    ],
  },
  {
    name: 'Prairie View, which states no colors',
    write: (at) => {
      for (const { name, bytes } of brukerFiles(brukerScan(1, [1, 2]))) writeTemp(at, name, bytes);
      return join(at, `${NAME}.xml`);
    },
    channels: [{ name: 'Ch1' }, { name: 'Ch2' }],
    reference: [{ name: 'Ch1' }, { name: 'Ch2' }],
  },
];

const folder = realpathSync(tempFolder());
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

function shown(channels: readonly Channel[] | undefined): Shown[] | undefined {
  return channels?.map(({ name, color, role, window }) => ({
    name,
    ...(color === undefined ? {} : { color }),
    ...(role === undefined ? {} : { role }),
    ...(window === undefined ? {} : { window }),
  }));
}

it.each(CASES)('shows the channels, colors and windows of $name', async ({ write, channels, reference }) => {
  const path = await write(mkdtempSync(join(folder, 'case-')));
  const answer = await openOk(server.url, { path });
  expect(shown(answer.channels)).toEqual(channels);
  expect(shown(answer.reference?.channels)).toEqual(reference);
});
