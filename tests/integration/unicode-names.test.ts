/** Names with accents, which systems write in two ways: as one character (NFC), or as a letter and a mark (NFD). */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { lineScan, NAME, planeName } from '../support/bruker.js';
import { lineVector } from '../support/lif.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { referring, writeLof } from '../writers/lif.js';
import { writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const root = realpathSync(tempFolder());
const NFC = 'd\u{e9}but';
const NFD = 'de\u{301}but';
const freshFolder = () => mkdtempSync(join(root, 'set-'));

const OME_SET = omeXml({
  uuid: 'urn:uuid:a',
  images: [
    {
      sizes: { X: 4, Y: 3, Z: 2 },
      children: [
        tiffData({ IFD: 0, FirstZ: 0, PlaneCount: 1 }, { name: `${NFC} 1.ome.tif` }),
        tiffData({ IFD: 0, FirstZ: 1, PlaneCount: 1 }, { name: `${NFC} 2.ome.tif` }),
      ],
    },
  ],
});
const omeMember = (value: number) =>
  writeTiff({
    pages: [
      { width: 4, height: 3, samples: new Uint16Array(12).fill(value), tags: [{ code: 270, type: 2, text: OME_SET }] },
    ],
  });

/** Each writes a set with names in NFC, and returns the path to open. */
const SETS: Record<string, (at: string) => string> = {
  'an OIF and its folder': (at) => writeOif(at, oifLineScan({ name: `${NFC}.oif` })),
  'an OME-TIFF set': (at) => {
    writeTemp(at, `${NFC} 2.ome.tif`, omeMember(2));
    return writeTemp(at, `${NFC} 1.ome.tif`, omeMember(1));
  },
  'the parts of an OIR': (at) => {
    const [main, ...parts] = writeOirSet(timeSeries(6, 6), [2, 2, 2]);
    for (const [i, part] of parts.entries()) writeTemp(at, `${NFC}_0000${i + 1}`, part);
    return writeTemp(at, `${NFC}.oir`, main as Uint8Array);
  },
  'the XML of Prairie View and its planes': (at) => {
    const xml = writeBruker(at, lineScan());
    writeFileSync(xml, readFileSync(xml, 'utf8').replaceAll(planeName(1, 1), planeName(1, 1, 1, NFC)));
    renameSync(join(at, planeName(1, 1)), join(at, planeName(1, 1, 1, NFC)));
    return join(at, `${NAME}.xml`);
  },
  'a Leica project and its folders': (at) => {
    mkdirSync(join(at, NFC));
    writeTemp(join(at, NFC), `${NFC}.lof`, writeLof(lineVector()));
    return writeTemp(at, 'P.xlef', referring('P', [`${NFC}/${NFC}.lof`]));
  },
};

/** Renames everything in a folder but one file. */
function toNfd(at: string, keep: string): void {
  const entries = readdirSync(at, { recursive: true, withFileTypes: true });
  // The deepest first.
  for (const { name, parentPath } of entries.reverse()) {
    const path = join(parentPath, name);
    if (path !== keep) renameSync(path, join(parentPath, name.normalize('NFD')));
  }
}

/** Returns the samples of every plane of the first scene, and how many files they are in. */
async function read(path: string): Promise<{ planes: number[][]; fileCount: number; size: number | undefined }> {
  const { acquisition, fingerprints, size, close } = await openAcquisition(path);
  const { channels, sizes } = acquisition.info.scenes[0]!;
  const planes: number[][] = [];
  for (const channel of channels.keys()) {
    for (let t = 0; t < sizes.T; t++) {
      for (let z = 0; z < sizes.Z; z++) {
        const target = new Float32Target(sizes.Y, sizes.X);
        await acquisition.readPlane({ scene: 0, channel, t, z }, target);
        planes.push([...target.data]);
      }
    }
  }
  const all = { planes, fileCount: fingerprints().length, size: size() };
  close();
  return all;
}

// macOS finds them itself.
describe.runIf(process.platform === 'linux')('names in NFC and NFD', () => {
  it.each(Object.entries(SETS))('find %s', async (_, write) => {
    const at = freshFolder();
    const path = write(at);
    const before = await read(path);
    toNfd(at, path);
    expect(readdirSync(at, { recursive: true }).join()).toContain(NFD);
    expect(await read(path)).toEqual(before);
    expect(before.planes.flat().some((sample) => sample !== 0)).toBe(true);
  });

  it.each([
    [NFC, NFD],
    [NFD, NFC],
  ])('find a file and the folders above it (asked for %j)', async (asked, stored) => {
    const at = join(freshFolder(), stored, 'day');
    mkdirSync(at, { recursive: true });
    const path = writeTemp(at, `${stored}.ome.tif`, omeMember(7));
    const { path: real, close } = await openAcquisition(join(dirname(dirname(at)), asked, 'day', `${asked}.ome.tif`));
    expect(real).toBe(path);
    close();
  });

  it('are two files where both are there: the exact one is opened', async () => {
    const at = freshFolder();
    const paths = [NFC, NFD].map((name, i) => writeTemp(at, `${name}.tif`, omeMember(i)));
    for (const path of paths) {
      const opened = await openAcquisition(path);
      expect(opened.path).toBe(path);
      opened.close();
    }
  });

  it('are refused where two are there, and none is exact', async () => {
    const [both, mixed] = ['\u{e9}\u{e9}', 'e\u{301}\u{e9}'];
    const at = freshFolder();
    for (const name of [both, both.normalize('NFD')]) writeTemp(at, `${name}.tif`, omeMember(1));
    await expect(openAcquisition(join(at, `${mixed}.tif`))).rejects.toMatchObject({
      code: 'path_not_found',
      message: expect.stringMatching(/contains 2 entries of this name.*NFC and NFD.*Rename all but one/),
    });
    const project = writeTemp(at, 'P.xlef', referring('P', [`${mixed}.lof`]));
    for (const name of [both, both.normalize('NFD')]) writeTemp(at, `${name}.lof`, writeLof(lineVector()));
    await expect(openAcquisition(project)).rejects.toMatchObject({ code: 'companion_missing' });
  });
});
