import { mkdirSync, mkdtempSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFileSize } from '../../packages/client/src/answers/describe.js';
import type { OpenDescription } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { lineScan, NAME, planeName, series } from '../support/bruker.js';
import { Cli } from '../support/cli.js';
import { lineVector, seriesVector } from '../support/lif.js';
import { frames } from '../support/oif.js';
import { stack as zarrStack } from '../support/ome-zarr.js';
import { openOk } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCziSet } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { imageXml, onDisk, referring, writeLof } from '../writers/lif.js';
import { series as nwbSeries, writeNwb } from '../writers/nwb.js';
import { writeOib, writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';
import { kymographSections, olympusText } from '../writers/olympus.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { imageFiles, writeStore, zipStore } from '../writers/ome-zarr.js';
import { alsMeta, alsSamples } from '../writers/scanimage.js';
import { writeTiff } from '../writers/tiff.js';

interface Case {
  name: string;
  /** Writes the acquisition into an empty folder; returns the path to open. */
  write(folder: string): string | Promise<string>;
}

const page = (text?: string) => ({
  width: 4,
  height: 6,
  samples: new Uint16Array(24),
  ...(text === undefined ? {} : { tags: [{ code: 270, type: 2, text }] }),
});
const tiff = (text?: string) => writeTiff({ pages: [page(text)] });

const A = { name: 'a.ome.tif', uuid: 'urn:uuid:a' };
const B = { name: 'b.ome.tif', uuid: 'urn:uuid:b' };
const omeSet = (uuid?: string) =>
  omeXml({
    ...(uuid === undefined ? {} : { uuid }),
    images: [
      {
        sizes: { X: 4, Y: 6, Z: 2 },
        children: [A, B].map((file, z) => tiffData({ IFD: 0, FirstZ: z, PlaneCount: 1 }, file)),
      },
    ],
  });
const binaryOnly = (uuid: string) =>
  `<OME UUID="${uuid}"><BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:c"/></OME>`;

const cziSet = (at: string) => {
  const spec = stack(1, 3);
  const files = writeCziSet({ ...spec, blocks: spec.blocks.map((block, i) => ({ ...block, part: i >> 1 })) });
  const names = files.map((_, i) => (i === 0 ? 'big.czi' : `big (${i}).czi`));
  return files.map((bytes, i) => writeTemp(at, names[i] as string, bytes));
};

/** Acquisitions in several files. Everything in the folder belongs to them. */
const SETS: Case[] = [
  { name: 'an OIF', write: (at) => writeOif(at, frames()) },
  { name: 'an OIB', write: (at) => writeTemp(at, 'a.oib', writeOib(frames())) },
  { name: 'a CZI in parts', write: (at) => cziSet(at)[0] as string },
  { name: 'a CZI, opened by a part', write: (at) => cziSet(at)[1] as string },
  {
    name: 'an OIR with a continuation',
    write: (at) => {
      const [main, part] = writeOirSet(timeSeries(6, 6), [3, 3]);
      writeTemp(at, 'rec_00001', part as Uint8Array);
      return writeTemp(at, 'rec.oir', main as Uint8Array);
    },
  },
  {
    name: 'a Leica project, whose files are spelled in other letters',
    write: (at) => {
      mkdirSync(join(at, 'Cells'));
      writeTemp(join(at, 'Cells'), 'Single.LOF', writeLof(lineVector()));
      const { data } = seriesVector();
      const parts = Array.from({ length: 12 }, (_, i) => {
        const samples = data.slice(i * 20, i * 20 + 20);
        writeTemp(join(at, 'Cells'), `F${i}.TIF`, writeTiff({ pages: [{ width: 5, height: 4, samples }] }));
        return `<Frame File="f${i}.tif" Offset="${i * 20}" Size="20" UUID="u${i}"/>`;
      });
      const memory = `<Memory Size="${data.length}" MemoryBlockID="m">${parts.join('')}</Memory>`;
      writeTemp(join(at, 'Cells'), 'Series.xlif', onDisk('Series', imageXml(seriesVector()), memory));
      return writeTemp(at, 'P.xlef', referring('P', ['cells\\single.lof', 'Cells/Series.xlif']));
    },
  },
  { name: 'a Prairie View recording', write: (at) => writeBruker(at, lineScan(2, [1, 2])) },
  { name: 'a Prairie View folder', write: (at) => dirname(writeBruker(at, lineScan(1, [1]))) },
  {
    name: 'a Prairie View recording, opened by an image',
    write: (at) => {
      writeBruker(at, lineScan(2, [1]));
      return join(at, planeName(2, 1));
    },
  },
  {
    name: 'a ScanImage line scan',
    write: (at) => {
      writeTemp(at, 'scan.meta.txt', alsMeta({ 'hChannels.channelSave': 1, 'hScan2D.lineScanSamplesPerFrame': 2 }));
      return writeTemp(at, 'scan.pmt.dat', alsSamples([1, 2, 3, 4]));
    },
  },
  {
    name: 'an OME-TIFF set',
    write: (at) => {
      writeTemp(at, 'B.ome.tif', tiff(omeSet(B.uuid)));
      return writeTemp(at, 'a.ome.tif', tiff(omeSet(A.uuid)));
    },
  },
  {
    name: 'an OME-TIFF set with a companion',
    write: (at) => {
      writeTemp(at, 'set.companion.ome', omeSet());
      writeTemp(at, 'b.ome.tif', tiff(binaryOnly(B.uuid)));
      return writeTemp(at, 'a.ome.tif', tiff(binaryOnly(A.uuid)));
    },
  },
  {
    name: 'an OME-TIFF set, opened by its companion',
    write: (at) => {
      for (const { name, uuid } of [A, B]) writeTemp(at, name, tiff(binaryOnly(uuid)));
      return writeTemp(at, 'set.companion.ome', omeSet());
    },
  },
  {
    name: 'a FluoView export in two channels with its text',
    write: (at) => {
      writeTemp(at, 'kymo.txt', olympusText({ sections: kymographSections() }));
      writeTemp(at, 'kymo_C001T001.tif', tiff());
      return writeTemp(at, 'kymo_C002T001.tif', tiff());
    },
  },
  {
    name: 'an NWB file with its frames',
    write: (at) => {
      mkdirSync(join(at, 'frames'));
      writeTemp(join(at, 'frames'), 'one.tif', tiff());
      const data = { data: new Uint8Array(0), shape: [0, 0, 0] };
      const Movie = nwbSeries({ external: ['frames/one.tif'], rate: 20, plane: 'p', data });
      return writeTemp(at, 'm.nwb', writeNwb({ acquisition: { Movie } }));
    },
  },
  {
    name: 'an OME-Zarr folder',
    write: async (at) => writeStore(join(at, 'a.ome.zarr'), await imageFiles(zarrStack())),
  },
  {
    name: 'an OME-Zarr archive',
    write: async (at) => writeTemp(at, 'a.ome.zarr.zip', zipStore(await imageFiles(zarrStack()))),
  },
];

const root = realpathSync(tempFolder());
const cli = new Cli();
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1 });
});
afterAll(async () => {
  await server.close();
  await cli.close();
});

function sumOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? sumOf(path) : statSync(path).size);
  }, 0);
}

async function served(path: string): Promise<string> {
  const answer = await openOk(server.url, { path });
  return answer.header.fileSize;
}

/** One process for all. */
async function inspected(paths: string[]): Promise<string[]> {
  const { stdout, stderr } = await cli.run(['inspect', '--jsonl', ...paths]);
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as OpenDescription).header.fileSize);
}

describe('fileSize', () => {
  it('is the sum of all files of an acquisition, by HTTP and on the command line', async () => {
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    const paths: string[] = [];
    for (const { name, write } of SETS) {
      const at = mkdtempSync(join(root, 'set-'));
      const path = await write(at);
      paths.push(path);
      found[name] = await served(path);
      expected[name] = formatFileSize(sumOf(at));
    }
    expect(found).toEqual(expected);
    expect(await inspected(paths)).toEqual(Object.values(expected));
  });

  it('excludes unrelated files of the folder and missing files', async () => {
    const at = mkdtempSync(join(root, 'other-'));
    const path = writeBruker(at, series('TSeries Timed Element', 3, 1, [1]));
    const whole = sumOf(at);
    writeTemp(at, 'notes.txt', 'x'.repeat(5_000));
    writeTemp(at, `${NAME}.env`, 'x'.repeat(5_000));
    expect(await served(path)).toBe(formatFileSize(whole));
  });

  it('is empty when there are too many files to count', async () => {
    const at = mkdtempSync(join(root, 'many-'));
    const recording = writeBruker(at, series('TSeries Timed Element', 501, 1, [1]));
    const shape = [1, 1, 1, 8, 600];
    const store = writeStore(join(at, 'a.ome.zarr'), await imageFiles(zarrStack({ shape, chunks: [1, 1, 1, 8, 1] })));
    expect([await served(recording), await served(store)]).toEqual(['', '']);
    expect(await inspected([recording, store])).toEqual(['', '']);
  });
});
