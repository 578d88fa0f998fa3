import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lineScan } from '../support/bruker.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { writeDeltaVision } from '../writers/deltavision.js';
import { writeNdtiff } from '../writers/ndtiff.js';
import { writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

interface Line {
  path: string;
  state: string;
  format?: string;
  error?: string;
  findings: { kind: string; message: string }[];
}

const folder = tempFolder();
const fine = tempFolder();
const cli = new Cli();
const at = (name: string) => join(folder, name);
/** No compressed data. */
const NOISE = new Uint8Array([1, 2, 3]);
const plain = Buffer.from(writeTiff({ pages: [{ width: 64, height: 64, samples: new Uint16Array(4096) }] }));

function deltaVision(step: number): Uint8Array {
  const sections = [0, 1, 2].map((z) => ({ z: 0.5 * z }));
  return writeDeltaVision({
    ...{
      type: 'uint16',
      size: [4, 3, 3],
      samples: new Uint16Array(36),
      cell: [0.4, 0.3, 3 * step],
      sampling: [4, 3, 3],
    },
    sections,
  });
}

beforeAll(() => {
  copyFileSync(SAMPLE, at('a fine.ome.tif'));
  writeFileSync(at('b plain.tif'), plain);
  mkdirSync(at('day/deep'), { recursive: true });
  const broken = { width: 64, height: 64, samples: new Uint16Array(4096), compression: 8, encode: () => NOISE };
  writeFileSync(at('day/deep/cut.tif'), writeTiff({ pages: [broken] }));
  writeFileSync(at('day/header.tif'), 'II*\0\xff\xff\xff\x7f', 'latin1');
  writeFileSync(at('day/two steps.dv'), deltaVision(0.2));
  writeFileSync(at('day/settings.xml'), '<settings/>');
  writeFileSync(at('day/.hidden.tif'), '');
  writeOif(at('day'), { ...oifLineScan(), name: 'set.oif' });
  writeBruker(at('day/bruker'), lineScan());
  writeOif(fine, { ...oifLineScan(), name: 'set.oif' });
  copyFileSync(SAMPLE, join(fine, 'scan.ome.tif'));
});
afterAll(() => cli.close());

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** Everything in a folder with its time of change. */
const contents = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => [name, statSync(at(name)).mtimeMs]);

it('says of each recording of a tree what is wrong with it, sets once, and writes nothing', async () => {
  const before = contents();
  const { code, stdout, stderr } = await cli.run(['check', '--jsonl', folder]);
  const checked = lines(stdout).map(({ path, state }) => [path.slice(folder.length + 1), state]);
  expect(checked).toEqual([
    ['a fine.ome.tif', 'fine'],
    ['b plain.tif', 'uncalibrated'],
    ['day/header.tif', 'corrupted'],
    ['day/set.oif', 'fine'],
    ['day/settings.xml', 'foreign'],
    ['day/two steps.dv', 'inconsistent'],
    ['day/bruker', 'fine'],
    ['day/deep/cut.tif', 'corrupted'],
  ]);
  expect([code, stderr]).toEqual([5, '']);
  expect(contents()).toEqual(before);
});

it('gives the reasons, and the worst kind first', async () => {
  const { stdout } = await cli.run(['check', '--jsonl', at('day')]);
  const of = (name: string) => lines(stdout).find(({ path }) => path.endsWith(name))!;
  expect(of('cut.tif')).toMatchObject({ format: 'tif', findings: [{ kind: 'corrupted' }, { kind: 'uncalibrated' }] });
  expect(of('cut.tif').findings[0]?.message).toMatch(/^The plane at T = 0, Z = 0, C = 0 cannot be read: cut\.tif: /);
  expect(of('header.tif')).toMatchObject({ error: 'decode_failed', findings: [{ kind: 'corrupted' }] });
  expect(of('two steps.dv').findings[0]?.message).toBe(
    'Z step: the header says 0.2 µm, but the stage positions are 0.5 µm apart. Showing 0.5 µm.',
  );
  expect(of('settings.xml')).toMatchObject({ error: 'unsupported_format', findings: [] });
});

it('prints a table of what is not fine, and a summary', async () => {
  const { code, stdout } = await cli.run(['check', at('b plain.tif'), at('day/deep'), at('a fine.ome.tif')]);
  const [plainRow, why, cutRow, , , summary, ...rest] = stdout.split('\n');
  expect([plainRow, why]).toEqual([`uncalibrated  ${at('b plain.tif')}`, '              No calibration along X, Y.']);
  expect(cutRow).toBe(`corrupted     ${at('day/deep/cut.tif')}`);
  expect(summary).toBe('3 recordings: 1 fine, 1 corrupted, 1 uncalibrated.');
  expect([code, rest]).toEqual([5, ['']]);
});

it('reads no pixels with --planes none, and all of them with --planes all', async () => {
  const pages = [1, 2, 3].map((value) => ({
    ...{ width: 64, height: 64, samples: new Uint16Array(4096).fill(value), compression: 8 },
    ...(value === 2 ? { encode: () => NOISE } : {}),
  }));
  // The second of three pages cannot be decoded.
  const path = join(tempFolder(), 'stack.tif');
  writeFileSync(path, writeTiff({ pages }));
  const states = async (planes: string) =>
    lines((await cli.run(['check', '--jsonl', '--planes', planes, path])).stdout);
  expect((await states('none')).map(({ state }) => state)).toEqual(['uncalibrated']);
  expect((await states('ends')).map(({ state }) => state)).toEqual(['uncalibrated']);
  expect((await states('all')).map(({ state }) => state)).toEqual(['corrupted']);
});

it('ends with 0 where nothing is corrupted, unless it is strict', async () => {
  expect((await cli.run(['check', fine])).stdout).toBe('2 recordings: 2 fine.\n');
  expect((await cli.run(['check', fine, '--strict'])).code).toBe(0);
  expect((await cli.run(['check', at('b plain.tif')])).code).toBe(0);
  expect((await cli.run(['check', at('b plain.tif'), '--strict'])).code).toBe(5);
});

it('calls a recording that was stopped incomplete', async () => {
  const path = join(tempFolder(), 'stopped');
  mkdirSync(path);
  const images = [0, 1, 2].map((i) => ({
    ...{ axes: { time: i >> 1, z: i % 2 }, width: 2, height: 2, samples: new Uint16Array(4) },
  }));
  for (const [name, bytes] of Object.entries(writeNdtiff({ images }))) writeFileSync(join(path, name), bytes);
  const { code, stdout } = await cli.run(['check', '--jsonl', path]);
  expect([code, lines(stdout)[0]?.state]).toEqual([0, 'incomplete']);
});

it('prints one document for --json', async () => {
  const { code, stdout } = await cli.run(['check', '--json', at('day'), join(folder, 'missing.tif')]);
  const { summary, stopped, recordings } = JSON.parse(stdout);
  expect(summary).toMatchObject({ fine: 2, corrupted: 2, inconsistent: 1, unreadable: 1, foreign: 1 });
  expect([code, stopped, recordings.length]).toEqual([5, false, 7]);
  expect(recordings.at(-1)).toMatchObject({ error: 'path_not_found', state: 'unreadable' });
});

it('sums up what it has checked when it is stopped', async () => {
  const list = join(tempFolder(), 'list');
  writeFileSync(list, `${at('b plain.tif')}\n`.repeat(20_000));
  const running = cli.start(['check', '--from', list]);
  await running.says(/uncalibrated/);
  const { code, stdout } = await running.interrupt();
  const [, count] =
    /\n([\d,]+) recordings?: [\d,]+ uncalibrated\. Stopped before the end: others were not checked\.\n$/.exec(stdout) ??
    [];
  expect(code).toBe(130);
  expect(Number(count?.replaceAll(',', ''))).toBeGreaterThan(0);
  expect(Number(count?.replaceAll(',', ''))).toBeLessThan(20_000);
});
