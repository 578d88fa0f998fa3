// The files that both servers open: those of bench/files.mjs, larger ones, ones of many parts, and real samples.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Blosc from 'numcodecs/blosc';
import { writeFile as writeCzi } from '../czi.mjs';
import { band, prepare, writePages } from '../files.mjs';
import { oirLineScan } from '../oir.mjs';

const SAMPLES = join(import.meta.dirname, '../../../shared/samples');
const PRAIRIE = 'bruker/swharden+ROI-Analysis-Pipeline/LineScan-06092017-1414-623';
const COLUMNS = 512;
const LINES = 30_000;

/** @typedef {{ name: string, path: string, rounds: number }} Compared */

/** The rows of the first table: made files of each format, and real ones where they are. @returns {Promise<Compared[]>} */
export async function formatFiles(data, quick) {
  const [tiff, deflate, oir, nd2, nd2Frames, lif] = prepare(data);
  const rounds = quick ? 3 : 9;
  const made = [
    ['TIFF 2×30,000×512', tiff.path],
    ['CZI 2×30,000×512, raw', make(data, 'two.czi', cziLines)],
    ['ND2 2×30,000×512, interleaved', nd2.path],
    ['ND2 2×30,000×512, a frame for each line', nd2Frames.path],
    ['OIR 2×30,000×512', oir.path],
    ['LIF 2×30,000×512', lif.path],
    ['OME-TIFF 2×30,000×512, deflate', deflate.path],
    ['OME-Zarr 2×30,000×512, Blosc LZ4', await makeStore(data, 'two-lz4.ome.zarr', 'lz4')],
    ['OME-Zarr 2×30,000×512, Blosc zlib', await makeStore(data, 'two-zlib.ome.zarr', 'zlib')],
  ];
  if (!quick) made.push(['TIFF 2×200,000×512', make(data, 'two-200k.tif', (path) => tiffLines(path, 200_000, 2))]);
  return [...real(), ...made].map(([name, path]) => ({ name, path, rounds }));
}

/** What a first user opens: a small file of each format, real where there is one. @returns {Compared[]} */
export function smallFiles(data, quick) {
  const lines = 2_000;
  const oir = make(data, 'small.oir', (path) => oirLineScan(path, lines, COLUMNS, band));
  const files = [
    ...real(),
    ...present([
      ['OME-TIFF multi-channel (real)', 'tiff-ome/hms-dbmi+viv/data/multi-channel.ome.tif'],
      ['ImageJ TSeries (real)', 'tiff-imagej/swharden+ScanAGator/TSeries-03022023-1227-2098-2ch.tif'],
      ['OME-Zarr blobs (real)', 'ome-zarr/hms-dbmi+viv/ome-zarr/blobs_image_v05.ome.zarr'],
      ['Imaris Minimal (real)', 'ims/imaris+ImarisWriter/Minimal_IMS_File.ims'],
    ]),
    [`OIR 2×${lines}×${COLUMNS}`, oir],
  ].map(([name, path]) => ({ name, path, rounds: 1 }));
  return quick ? files.slice(0, 1) : files;
}

const real = () =>
  present([
    ['TIFF kymograph 30,000×38 (real)', 'tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif'],
    ['CZI CellDivision (real)', 'czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170.czi'],
    ['ND2 example-multichannel (real)', 'nd2/Arcadia-Science+arcadia-microscopy-tools/example-multichannel.nd2'],
    ['OIB test (real)', 'oib/cgohlke+oiffile/test.oib'],
    ['OIF cell3_01 (real)', 'oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif'],
    ['LIF xz-example (real)', 'lif/Arcadia-Science+readlif/xz-example/xz-example.lif'],
    ['LSM test (real)', 'lsm/jefferislab+jimpipeline/test.lsm'],
    ['Prairie View line scan (real)', `${PRAIRIE}/LineScan-06092017-1414-623.xml`],
  ]);

/** @param {string[][]} samples name and path of each @returns {string[][]} those that are here, with whole paths */
function present(samples) {
  return samples.map(([name, path]) => [name, join(SAMPLES, path)]).filter(([, path]) => existsSync(path));
}

/** Recordings that grow, and files of many parts. @returns {Promise<Compared[]>} */
export async function growthFiles(data, quick) {
  const scan = (name, rows, rounds = 7) => ({
    name: `TIFF of ${name} lines`,
    path: make(data, `one-${name}.tif`, (path) => tiffLines(path, rows, 1)),
    rounds,
  });
  const tiles = { name: 'CZI of 10,000 tiles', path: make(data, 'tiles.czi', cziTiles), rounds: 5 };
  if (quick) return [scan('10k', 10_000, 3), { ...tiles, rounds: 3 }];
  return [
    scan('10k', 10_000),
    scan('50k', 50_000),
    scan('200k', 200_000),
    scan('1M', 1_000_000, 3),
    { name: 'TIFF of 100,000 pages', path: make(data, 'pages.tif', tiffPages), rounds: 3 },
    tiles,
    { name: 'OME-Zarr of 10,000 chunks', path: await makeStore(data, 'chunks.ome.zarr', 'lz4', 1, 3), rounds: 5 },
  ];
}

/** Makes a file once, whole or not at all. */
function make(data, name, write) {
  const folder = join(data, 'beside');
  const path = join(folder, name);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const partial = `${path}.partial`;
    rmSync(partial, { recursive: true, force: true });
    write(partial);
    renameSync(partial, path);
  }
  return path;
}

function tiffLines(path, rows, channels) {
  writePages(path, { rows, columns: COLUMNS, channels, compression: 1, predictor: 1 }, band);
}

/** A line scan as ZEN writes it: subblocks of 82 lines, each of one channel. */
function cziLines(path) {
  const run = 82;
  const blocks = Array.from({ length: 2 * Math.ceil(LINES / run) }, (_, i) => {
    const [channel, row] = [i % 2, Math.floor(i / 2) * run];
    const rows = Math.min(run, LINES - row);
    const dims = [
      ['X', 0, COLUMNS],
      ['T', row, rows],
      ['C', channel, 1],
    ];
    return { dims, compression: 0, data: band(channel, row, rows) };
  });
  writeCzi(path, blocks);
}

/** A mosaic of 100 × 100 tiles of 64 × 16 samples. */
function cziTiles(path) {
  const [columns, rows, side] = [64, 16, 100];
  const tiles = Array.from({ length: side * side }, (_, i) => {
    const [x, y] = [(i % side) * columns, Math.floor(i / side) * rows];
    const dims = [
      ['X', x, columns],
      ['Y', y, rows],
      ['C', 0, 1],
      ['M', i, 1],
    ];
    return { dims, compression: 0, data: band(0, i * rows, rows, columns) };
  });
  writeCzi(path, tiles);
}

/** A chain of 100,000 directories of one page of 16 × 16 samples each. */
function tiffPages(path) {
  const [count, side, entries] = [100_000, 16, 9];
  const pageBytes = side * side * 2;
  const directoryBytes = 2 + 12 * entries + 4;
  const fd = openSync(path, 'w');
  writeSync(fd, Buffer.from('49492a0008000000', 'hex'));
  for (let i = 0; i < count; i++) {
    const at = 8 + i * (directoryBytes + pageBytes);
    const bytes = Buffer.alloc(directoryBytes);
    bytes.writeUInt16LE(entries, 0);
    const values = [
      [256, 4, side],
      [257, 4, side],
      [258, 3, 16],
      [259, 3, 1],
      [262, 3, 1],
      [273, 4, at + directoryBytes],
      [277, 3, 1],
      [278, 4, side],
      [279, 4, pageBytes],
    ];
    for (const [k, [tag, type, value]] of values.entries()) {
      bytes.writeUInt16LE(tag, 2 + 12 * k);
      bytes.writeUInt16LE(type, 4 + 12 * k);
      bytes.writeUInt32LE(1, 6 + 12 * k);
      bytes.writeUInt32LE(value, 10 + 12 * k);
    }
    bytes.writeUInt32LE(i + 1 < count ? at + directoryBytes + pageBytes : 0, directoryBytes - 4);
    writeSync(fd, Buffer.concat([bytes, band(0, i * side, side, side)]));
  }
  closeSync(fd);
}

/** A store of Blosc chunks. `cname` is the compressor, `run` the lines of a chunk. @returns {Promise<string>} its path */
async function makeStore(data, name, cname, channels = 2, run = 1000) {
  const settings = { cname, clevel: 5, blocksize: 0 };
  const blosc = Blosc.fromConfig({ id: 'blosc', ...settings, shuffle: 1 });
  const path = join(data, 'beside', name);
  if (existsSync(path)) return path;
  const chunks = [];
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < LINES; row += run) {
      // The last chunk is whole, as Zarr has it.
      const bytes = Uint8Array.from(await blosc.encode(band(channel, row, run)));
      chunks.push([`0/c/${channel}/${row / run}/0`, bytes]);
    }
  }
  const configuration = { ...settings, shuffle: 'shuffle', typesize: 2 };
  const array = {
    zarr_format: 3,
    node_type: 'array',
    shape: [channels, LINES, COLUMNS],
    data_type: 'uint16',
    chunk_grid: { name: 'regular', configuration: { chunk_shape: [1, run, COLUMNS] } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [
      { name: 'bytes', configuration: { endian: 'little' } },
      { name: 'blosc', configuration },
    ],
  };
  const axes = [{ name: 'c', type: 'channel' }, ...['y', 'x'].map((axis) => ({ name: axis, type: 'space' }))];
  const datasets = [{ path: '0', coordinateTransformations: [{ type: 'scale', scale: [1, 1, 1] }] }];
  const group = {
    zarr_format: 3,
    node_type: 'group',
    attributes: { ome: { version: '0.5', multiscales: [{ axes, datasets }] } },
  };
  return make(data, name, (folder) => {
    const put = (key, bytes) => {
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      writeFileSync(join(folder, key), bytes);
    };
    put('zarr.json', JSON.stringify(group));
    put('0/zarr.json', JSON.stringify(array));
    for (const [key, bytes] of chunks) put(key, bytes);
  });
}
