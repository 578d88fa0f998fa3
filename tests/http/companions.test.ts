import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenRequest } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { lineScan, NAME, planeName } from '../support/bruker.js';
import { frames } from '../support/oif.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCziSet } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { referring } from '../writers/lif.js';
import { writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { alsSamples } from '../writers/scanimage.js';
import { writeTiff } from '../writers/tiff.js';

/** A set of files of which one is not copied. */
interface Incomplete {
  name: string;
  /** Writes the set without the file into an empty folder; returns the path to open. */
  write(folder: string): string;
  /** How the message starts: the opened file, then what is missing. */
  message: string;
  /** Where it is looked for, inside the folder. */
  inside?: string;
  /** What is asked of the set; the first plane when not given. */
  ask?: Omit<OpenRequest, 'path'>;
  /** Another plane, which does not need the missing file. */
  served?: Omit<OpenRequest, 'path'>;
}

const cziSet = () => {
  const spec = stack(1, 3);
  return writeCziSet({ ...spec, blocks: spec.blocks.map((block, i) => ({ ...block, part: i >> 1 })) });
};

/** Removes a file or folder beside `path`. */
function without(path: string, name: string): string {
  rmSync(join(dirname(path), name), { recursive: true });
  return path;
}

const OME_SET = {
  uuid: 'urn:uuid:a',
  images: [
    {
      sizes: { X: 4, Y: 3, Z: 2 },
      children: [
        tiffData({ IFD: 0, FirstZ: 0, PlaneCount: 1 }, { name: 'a.ome.tif', uuid: 'urn:uuid:a' }),
        tiffData({ IFD: 0, FirstZ: 1, PlaneCount: 1 }, { name: 'b.ome.tif', uuid: 'urn:uuid:b' }),
      ],
    },
  ],
};

const omeMember = (text: string) =>
  writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12), tags: [{ code: 270, type: 2, text }] }] });

const SETS: Incomplete[] = [
  {
    name: 'a part of a CZI',
    write: (at) => writeTemp(at, 'big.czi', cziSet()[0] as Uint8Array),
    message: 'big.czi: "big (1).czi", a file of this set,',
    ask: { selection: { Z: 1 } },
    served: { selection: { Z: 0 } },
  },
  {
    name: 'the first file of a CZI',
    write: (at) => writeTemp(at, 'big (1).czi', cziSet()[1] as Uint8Array),
    message: 'big (1).czi: "big.czi", the first file of this set,',
  },
  {
    name: 'the folder of an OIF',
    write: (at) => without(writeOif(at, frames()), 'stack.oif.files'),
    message: 'stack.oif: the folder "stack.oif.files" with its planes',
  },
  {
    name: 'a plane of an OIF',
    write: (at) => writeOif(at, frames({ omit: ['s_C002Z002T001.tif'] })),
    message: 'stack.oif: the file of plane C002T001Z002',
    inside: 'stack.oif.files',
    ask: { selection: { Z: 1 } },
    served: { selection: { Z: 1 }, channelIndices: [0] },
  },
  {
    name: 'a continuation of an OIR',
    write: (at) => {
      const [main, , last] = writeOirSet(timeSeries(6, 6), [2, 2, 2]);
      writeTemp(at, 'rec_00002', last as Uint8Array);
      return writeTemp(at, 'rec.oir', main as Uint8Array);
    },
    message: 'rec.oir: "rec_00001", which contains the plane of channel 1, time 3,',
    ask: { selection: { T: 2 } },
    served: { selection: { T: 4 } },
  },
  {
    name: 'the only image of a Leica project',
    write: (at) => writeTemp(at, 'P.xlef', referring('P', ['Series.lof'])),
    message: 'P.xlef: "Series.lof"',
  },
  {
    name: 'the planes of a Prairie View recording',
    write: (at) => writeBruker(at, { ...lineScan(), planes: [] }),
    message: `${NAME}.xml: every image file that it names, such as "${planeName(1, 1)}",`,
  },
  {
    name: 'a channel of a Prairie View recording',
    write: (at) => without(writeBruker(at, lineScan(1, [1, 2])), planeName(1, 2)),
    message: `${NAME}.xml: "${planeName(1, 2)}"`,
    served: { channelIndices: [0] },
  },
  {
    name: 'the XML of a Prairie View folder',
    write: (at) => dirname(without(writeBruker(at, lineScan()), `${NAME}.xml`)),
    message: ': the .xml file that describes the planes',
  },
  {
    name: 'the header of a ScanImage line scan',
    write: (at) => writeTemp(at, 'scan.pmt.dat', alsSamples([1, 2, 3, 4])),
    message: 'scan.pmt.dat: "scan.meta.txt" (the header of the line scan)',
  },
  {
    name: 'a file of an OME-TIFF set',
    write: (at) => writeTemp(at, 'a.ome.tif', omeMember(omeXml(OME_SET))),
    message: 'a.ome.tif: "b.ome.tif", a file of this set,',
    ask: { selection: { Z: 1 } },
    served: { selection: { Z: 0 } },
  },
  {
    name: 'every file of an OME-TIFF set',
    write: (at) => writeTemp(at, 'set.companion.ome', omeXml({ images: OME_SET.images })),
    message: 'set.companion.ome: "a.ome.tif", a file of this set,',
  },
];

const folder = realpathSync(tempFolder());
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function open(path: string, ask: Omit<OpenRequest, 'path'> = {}): Promise<[number, Record<string, unknown>]> {
  return postOpen(server.url, { path, ...ask });
}

it.each(SETS)(
  'names the missing $name and the folder it should be in',
  async ({ write, message, inside = '', ask, served }) => {
    const at = mkdtempSync(join(folder, 'set-'));
    const path = write(at);
    const where = join(at, inside);
    const [status, answer] = await open(path, ask);
    expect([status, answer['error'], answer['details']]).toEqual([422, 'companion_missing', null]);
    expect(answer['message']).toContain(`${message} is missing from ${where}. `);
    if (served) expect((await open(path, served))[0]).toBe(200);
  },
);
