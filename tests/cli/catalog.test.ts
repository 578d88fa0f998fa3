import { copyFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lineScan } from '../support/bruker.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { omeMember } from '../support/ome-members.js';
import { writeSplitRecording } from '../support/split-recording.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { ndSet } from '../writers/metamorph-nd.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

interface Line {
  path: string;
  ok: boolean;
  name?: string;
  error?: string;
  thumbnail?: string;
  [more: string]: unknown;
}

const folder = tempFolder();
const cli = new Cli();
const at = (name: string) => join(folder, name);

beforeAll(() => {
  copyFileSync(SAMPLE, at('scan.ome.tif'));
  mkdirSync(at('day/deep'), { recursive: true });
  writeOif(at('day'), { ...oifLineScan(), name: 'set.oif' });
  writeFileSync(at('day/one.ome.tif'), omeMember('one.ome.tif', 'two.ome.tif'));
  writeFileSync(at('day/two.ome.tif'), omeMember('two.ome.tif', 'one.ome.tif'));
  writeFileSync(at('day/settings.xml'), '<settings/>');
  writeFileSync(at('day/header.tif'), 'II*\0\xff\xff\xff\x7f', 'latin1');
  writeBruker(at('day/bruker'), lineScan());
  const gradient = Uint16Array.from({ length: 200 * 100 }, (_, i) => i % 200);
  writeFileSync(at('day/deep/plain.tif'), writeTiff({ pages: [{ width: 200, height: 100, samples: gradient }] }));
});
afterAll(() => cli.close());

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

it('lists the recordings of a tree: sets once, companions hidden, nothing written', async () => {
  const before = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [
    name,
    statSync(at(name)).mtimeMs,
  ]);
  const { code, stdout, stderr } = await cli.run(['catalog', '--jsonl', folder]);
  const listed = lines(stdout);
  expect(listed.map(({ path, ok, files }) => [path.slice(folder.length + 1), ok, files])).toEqual([
    ['scan.ome.tif', true, 1],
    ['day/header.tif', false, undefined],
    ['day/one.ome.tif', true, 2],
    ['day/set.oif', true, expect.any(Number)],
    ['day/bruker', true, expect.anything()],
    ['day/deep/plain.tif', true, 1],
  ]);
  expect([code, stderr]).toEqual([4, '']);
  expect(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, statSync(at(name)).mtimeMs]),
  ).toEqual(before);
});

it('lists a recording in parts once, and says by which evidence', async () => {
  const parts = tempFolder();
  writeSplitRecording(parts);
  const { code, stdout } = await cli.run(['catalog', '--jsonl', parts]);
  expect(lines(stdout)).toHaveLength(1);
  expect(lines(stdout)[0]).toMatchObject({
    files: 3,
    sizes: { T: 10 },
    recording: { parts: 3, part: 0, evidence: 'frame numbers' },
  });
  expect(code).toBe(0);
});

it('lists a set once, by the file that describes it', async () => {
  const set = tempFolder();
  const spec = { stem: 'a', waves: ['DAPI', 'GFP'], stages: ['left'], times: 2, sections: 2 };
  for (const [name, bytes] of Object.entries(ndSet(spec))) writeFileSync(join(set, name), bytes);
  const { stdout } = await cli.run(['catalog', '--jsonl', set]);
  expect(lines(stdout)).toMatchObject([{ path: join(set, 'a.nd'), sizes: { T: 2, Z: 2 }, files: 5 }]);
});

it('lists a link to the first file of a set in another folder', async () => {
  const [set, links] = [tempFolder(), tempFolder()];
  const spec = { stem: 'a', waves: ['DAPI', 'GFP'], stages: ['left', 'right'], times: 3, sections: 2 };
  for (const [name, bytes] of Object.entries(ndSet(spec))) writeFileSync(join(set, name), bytes);
  symlinkSync(join(set, 'a_w1DAPI_s1_t1.stk'), join(links, 'mine.stk'));
  const { stdout } = await cli.run(['catalog', links, '--jsonl']);
  expect(lines(stdout)).toMatchObject([{ path: join(links, 'mine.stk'), ok: true, files: 13 }]);
});

it('says of a recording what lists need', async () => {
  const { stdout } = await cli.run(['catalog', '--jsonl', SAMPLE]);
  const [line] = lines(stdout);
  expect(line).toMatchObject({
    ...{ path: SAMPLE, ok: true, name: 'vessel-kymograph.ome.tif', format: 'ome.tif', formatName: 'TIFF', files: 1 },
    ...{ size: statSync(SAMPLE).size, scenes: 1, channels: expect.arrayContaining(['Vessel']), warnings: [] },
    steps: { X: { unit: 'micrometer', origin: 'file' }, Y: { unit: 'seconds' } },
  });
  expect(line).not.toHaveProperty('thumbnail');
});

it('adds a small picture when asked', async () => {
  const { stdout } = await cli.run(['catalog', '--jsonl', '--thumbnails', at('day/deep')]);
  const png = Buffer.from(lines(stdout)[0]!.thumbnail!.split(',')[1]!, 'base64');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([96, 48]);
  const length = png.readUInt32BE(33);
  const rows = inflateSync(png.subarray(41, 41 + length));
  // Filter, then from black on the left to white on the right.
  expect([rows.length, rows[1], rows[96]]).toEqual([48 * 97, 0, 255]);
  expect(rows[49]).toBeGreaterThan(115);
  expect(rows[49]).toBeLessThan(140);
});

it('prints a table', async () => {
  const { code, stdout } = await cli.run(['catalog', at('day/deep'), at('scan.ome.tif')]);
  const [plain, sample, end] = stdout.split('\n');
  expect(plain).toMatch(/^– +40\.\d KB +Y 100 × X 200 +1 ch +.*plain\.tif {2}TIFF$/);
  expect(sample).toMatch(/ch +.*scan\.ome\.tif {2}TIFF/);
  expect([code, end]).toEqual([0, '2 recordings.']);
});

it('says which folders are not searched, and that a folder is missing', async () => {
  const tree = join(tempFolder(), 'tree');
  mkdirSync(join(tree, ...Array.from({ length: 66 }, () => 'd')), { recursive: true });
  const deep = await cli.run(['catalog', tree]);
  expect(deep.code).toBe(1);
  expect(deep.stderr).toContain('d: lies more than 64 folders deep and was not searched');
  const missing = await cli.run(['catalog', at('dya'), at('day/deep')]);
  expect(missing.code).toBe(4);
  expect(missing.stderr).toContain(`path_not_found: dya: there is no file or folder at ${at('dya')}. Check the path.`);
});

it('ends with its signal, and says that it was stopped', async () => {
  const list = join(tempFolder(), 'list');
  writeFileSync(list, `${SAMPLE}\n`.repeat(20_000));
  const running = cli.start(['catalog', '--from', list]);
  await running.says(/vessel-kymograph/);
  const { code, stdout } = await running.interrupt();
  expect([code, /recordings?\. Stopped before the end\.\n$/.test(stdout)]).toEqual([130, true]);
});
