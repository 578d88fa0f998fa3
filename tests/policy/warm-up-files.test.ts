/** The acquisitions in `packages/server/warm-up/`, which idle workers open. UPDATE_DOCS=1 writes them anew. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { PREPARED, prepare, warmUp, warmUpPaths } from '../../packages/server/src/decode/warm-up.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { lineScan as prairieScan } from '../support/bruker.js';
import { REPOSITORY } from '../support/cli.js';
import { volume } from '../support/hdf5.js';
import { lineVector } from '../support/lif.js';
import { lineScan as lsmScan } from '../support/lsm.js';
import { readNative } from '../support/native.js';
import { lineScan as nd2Scan } from '../support/nd2.js';
import { lineScan as oifScan } from '../support/oif.js';
import { smallImage, stack } from '../support/ome-zarr.js';
import { description } from '../support/tiff-cases.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCzi } from '../writers/czi.js';
import { lineScan as cziScan } from '../writers/czi-kinds.js';
import { writeDeltaVision } from '../writers/deltavision.js';
import { writeHdf5 } from '../writers/hdf5.js';
import { writeIms } from '../writers/ims.js';
import { writeLif } from '../writers/lif.js';
import { writeLsm } from '../writers/lsm.js';
import { writeMesc } from '../writers/mesc.js';
import { ndSet } from '../writers/metamorph-nd.js';
import { writeMrc } from '../writers/mrc.js';
import { writeNd2 } from '../writers/nd2.js';
import { writeNdtiff } from '../writers/ndtiff.js';
import { imagingPlane, movie, series, writeNwb } from '../writers/nwb.js';
import { writeObf } from '../writers/obf.js';
import { writeOib } from '../writers/oif.js';
import { writeOir } from '../writers/oir.js';
import { lineScan as oirScan } from '../writers/oir-kinds.js';
import { kymographSections, olympusText } from '../writers/olympus.js';
import { binData, omeXml } from '../writers/ome.js';
import { blosc, imageFiles, writeStore, zipStore } from '../writers/ome-zarr.js';
import { writeScanbox } from '../writers/scanbox.js';
import { alsMeta, alsSamples, frameText, scanimageText } from '../writers/scanimage.js';
import { writeThorRaw } from '../writers/thorimage.js';
import { type PageSpec, writeTiff } from '../writers/tiff.js';
import { double, int, writeZvi, type ZviSpec } from '../writers/zvi.js';

const folder = join(REPOSITORY, 'packages/server/warm-up');

const SAMPLES = Uint16Array.from({ length: 64 * 38 }, (_, i) => (i * 113) % 4096);
const page = (over: Partial<PageSpec>): PageSpec => ({
  width: 38,
  height: 64,
  rowsPerStrip: 16,
  samples: SAMPLES,
  ...over,
});

/** Two channels with a compression, described by `text`. */
function tiff(text: string, compression: number, predictor: 1 | 2 = 1): Uint8Array {
  const pages = [[description(text)], []].map((tags) => page({ compression, predictor, tags }));
  return writeTiff({ littleEndian: true, pages });
}

const ome = omeXml({ images: [{ sizes: { X: 38, Y: 64, C: 2 }, pixels: { PhysicalSizeX: 0.25 } }] });
const PLANE = binData(new Uint8Array(SAMPLES.buffer), { BigEndian: 'false' });
const inXml = omeXml({ images: [{ sizes: { X: 38, Y: 64 }, children: [PLANE] }] });
const frames = series({ data: movie(2, 4, 3), dimension: [4, 3], rate: 10, plane: 'p' });
const ZVI: ZviSpec = {
  ...{ type: 'uint16', size: [16, 16], tags: { 769: double(0.25), 770: int(76) } },
  planes: [0, 1].map((c) => ({
    c,
    compression: 'zlib',
    pixels: new Uint8Array(SAMPLES.slice(256 * c, 256 * (c + 1)).buffer),
  })),
};

/** Name and content of every file; `prairie` and `small.ome.zarr` are folders. */
async function files(): Promise<[name: string, bytes: Uint8Array | string][]> {
  return [
    ['plain.tif', tiff('', 1)],
    ['kymograph.tif', tiff('', 1)],
    ['kymograph.txt', olympusText({ sections: kymographSections() })],
    ['deflate.ome.tif', tiff(ome, 8, 2)],
    ['lzw.tif', tiff('ImageJ=1.53t\nimages=2\nchannels=2\n', 5, 2)],
    ['scanimage.tif', tiff(`${scanimageText({ 'hChannels.channelSave': '[1;2]' })}\n${frameText(1, 0.1, 300)}`, 1)],
    ['plain.czi', writeCzi(cziScan(150, 2, 2, 1, { period: 0.002, reference: true }))],
    ['zstd.czi', writeCzi(cziScan(64, 38, 2, 8, { coded: [0, 1] }))],
    ['scan.lsm', writeLsm(lsmScan())],
    ['scan.nd2', writeNd2(nd2Scan())],
    ['scan.lif', writeLif({ elements: [lineVector()] })],
    ['scan.oir', writeOir(oirScan(150, 2, 16, { bandBytes: 4 }))],
    ['scan.oib', writeOib(oifScan())],
    ['scan.zvi', writeZvi(ZVI)],
    ['scan.ims', writeIms(volume({ padded: { X: 8, Y: 8, Z: 4 }, chunks: [2, 8, 8], filters: ['shuffle', 'gzip'] }))],
    [
      'scan.mesc',
      writeMesc({
        kind: 'new',
        units: { 'MSession_0/MUnit_0': { shape: [2, 8, 6], third: { title: 't', scale: 16 } } },
      }),
    ],
    [
      'scan.h5',
      writeHdf5({ members: { data: { data: SAMPLES.subarray(0, 512), shape: [2, 16, 16] } } }, { kind: 'new' }),
    ],
    ['scan.nwb', writeNwb({ acquisition: { S: frames }, planes: { p: imagingPlane({ channels: ['Green'] }) } })],
    ...Object.entries(
      writeNdtiff({ name: 'scan', images: [{ axes: { time: 0 }, width: 38, height: 64, samples: SAMPLES }] }),
    ),
    ...Object.entries(ndSet({ stem: 'set', waves: ['DAPI', 'GFP'], times: 2, sections: 2, width: 8, height: 8 })),
    ['scan.dv', writeDeltaVision({ type: 'int16', size: [16, 16, 1], samples: SAMPLES.subarray(0, 256) })],
    [
      'scan.obf',
      writeObf({
        stacks: [
          {
            axes: [
              { size: 16, label: 'X' },
              { size: 8, label: 'Y' },
            ],
            samples: SAMPLES.subarray(0, 128),
          },
        ],
      }),
    ],
    ['scan.mrc', writeMrc({ type: 'int16', size: [16, 16, 1], samples: SAMPLES.subarray(0, 256) })],
    ['scan.ome', inXml],
    ['line.meta.txt', alsMeta({ 'hChannels.channelSave': 1, 'hScan2D.lineScanSamplesPerFrame': 38 })],
    ['line.pmt.dat', alsSamples(SAMPLES.subarray(0, 380))],
    ...Object.entries(writeThorRaw({ columns: 8, rows: 8 })),
    ...Object.entries(writeScanbox()),
    ['stack.ome.zarr.zip', zipStore(await imageFiles(stack({ codecs: [blosc()] })))],
  ];
}

beforeAll(async () => {
  if (!process.env['UPDATE_DOCS']) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'prairie'), { recursive: true });
  for (const [name, bytes] of await files()) writeFileSync(join(folder, name), bytes);
  writeStore(join(folder, 'small.ome.zarr'), await imageFiles(smallImage()));
  writeBruker(join(folder, 'prairie'), prairieScan(1, [1]));
});

it('idle workers open an acquisition of every format, and nothing in them is wrong', async () => {
  const formats = new Set<string>();
  for (const path of warmUpPaths(folder)) {
    const opened = await openAcquisition(path);
    formats.add(opened.format.id);
    for (const [scene, { channels }] of opened.acquisition.info.scenes.entries()) {
      for (const channel of channels.keys())
        expect((await readNative(opened, scene, { channel })).length).toBeGreaterThan(0);
    }
    opened.close();
  }
  const missing = FORMATS.filter(({ id }) => !formats.has(id)).map(({ id }) => id);
  const advice = `Add a small file of ${missing} to files() in this test, and run: UPDATE_DOCS=1 npx vitest run tests/policy`;
  expect(missing, advice).toEqual([]);
});

it('the acquisitions that idle workers open take less than 450 KB', () => {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = names.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  const advice = 'make the new file smaller: a few lines are enough';
  expect(
    sizes.reduce((a, b) => a + b, 0),
    advice,
  ).toBeLessThan(450_000);
});

it('the warm-up of a worker waits for its turn before each document, each reader and each file', async () => {
  let turns = 0;
  await warmUp(folder, async () => void turns++);
  expect(turns).toBeGreaterThan(FORMATS.length + 4 * warmUpPaths(folder).length);
  const stopped = new Error('a request came');
  const stop = async () => {
    if (--turns < 10) throw stopped;
  };
  await expect(warmUp(folder, stop)).rejects.toBe(stopped);
  expect(turns).toBe(9);
});

it('a worker prepares with files that exist, and waits for its turn before each reader and each file', async () => {
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([...PREPARED]));
  const first = FORMATS.length + PREPARED.length;
  let turns = 0;
  await prepare(folder, async () => void turns++);
  // Then come documents, and every acquisition a few times.
  expect(turns).toBeGreaterThan(first + 3 * warmUpPaths(folder).length);
  const stopped = new Error('a request came');
  const stop = async () => {
    if (--turns < first) throw stopped;
  };
  await expect(prepare(folder, stop)).rejects.toBe(stopped);
});

it('a worker without files to open warms up all the same', async () => {
  expect(warmUpPaths(join(folder, 'missing'))).toEqual([]);
  await prepare(join(folder, 'missing'), async () => {});
  await warmUp(join(folder, 'missing'), async () => {});
});
