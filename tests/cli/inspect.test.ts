import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Value from 'typebox/value';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ErrorEnvelope } from '../../packages/client/src/contract/error.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { lineScan } from '../support/bruker.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCzi } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { writeOif } from '../writers/oif.js';

interface Answer {
  path: string;
  ok: boolean;
  error?: string;
  message?: string;
  source?: { path: string; format: string };
}

const folder = tempFolder();
const cli = new Cli();
const at = (name: string) => join(folder, name);
const MISSING = resolve('no-such-file.tif');

beforeAll(() => {
  // Natural order: 2 before 10. A set with its folder, an acquisition that is a folder, a link, what is not listed.
  copyFileSync(SAMPLE, at('scan 10.tif'));
  copyFileSync(SAMPLE, at('scan 2.tif'));
  writeOif(folder, { ...oifLineScan(), name: 'set.oif' });
  writeBruker(at('bruker'), lineScan());
  mkdirSync(at('below'));
  copyFileSync(SAMPLE, at('below/deep.tif'));
  symlinkSync(at('below/deep.tif'), at('z link.tif'));
  writeFileSync(at('.hidden.tif'), '');
  writeFileSync(at('notes.txt'), 'no acquisition');
  writeFileSync(at('damaged.tif'), Buffer.from('II*\0\xff\xff\xff\x7f', 'latin1'));
});
afterAll(() => cli.close());

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);

it('describes several files, also after a failure', async () => {
  const { code, stdout, stderr } = await cli.run(['inspect', SAMPLE, MISSING, at('scan 2.tif')]);
  expect(code).toBe(4);
  expect([...stdout.matchAll(/^file +(.*) \(/gm)].map(([, path]) => path)).toEqual([SAMPLE, at('scan 2.tif')]);
  expect(stdout).toContain('Vessel\n\nfile ');
  expect(stderr).toMatch(/^acqstore: path_not_found: .*no-such-file\.tif.*\n$/);
});

it('describes the acquisitions directly inside a folder in natural order', async () => {
  const { code, stdout, stderr } = await cli.run(['inspect', '--jsonl', folder]);
  const answers = lines(stdout);
  const names = answers.map(({ path }) => path.slice(folder.length + 1));
  expect(names).toEqual(['bruker', 'damaged.tif', 'scan 2.tif', 'scan 10.tif', 'set.oif', 'z link.tif']);
  expect(answers.filter(({ ok }) => !ok)).toMatchObject([{ path: at('damaged.tif'), error: 'decode_failed' }]);
  expect(answers.at(-1)?.source?.path).toBe(at('below/deep.tif'));
  expect([code, stderr]).toEqual([4, '']);
});

it('starts each line of --jsonl with path and ok', async () => {
  const { code, stdout } = await cli.run(['inspect', '--jsonl', MISSING, SAMPLE]);
  expect(code).toBe(4);
  const [missing, sample] = stdout.split('\n') as [string, string];
  expect(missing.startsWith(`{"path":${JSON.stringify(MISSING)},"ok":false,"error":"path_not_found","message":`)).toBe(
    true,
  );
  expect(sample.startsWith(`{"path":${JSON.stringify(SAMPLE)},"ok":true,`)).toBe(true);
});

it('prints one document for --json: an envelope for one file, an array for several or a folder', async () => {
  const one = await cli.run(['inspect', '--json', MISSING]);
  const envelope: unknown = JSON.parse(one.stdout);
  expect(Value.Errors(ErrorEnvelope, envelope)).toEqual([]);
  expect(envelope).toMatchObject({ ok: false, error: 'path_not_found', details: null });
  expect([one.code, one.stderr]).toEqual([1, '']);

  const two = JSON.parse((await cli.run(['inspect', '--json', SAMPLE, MISSING])).stdout) as Answer[];
  expect(two).toMatchObject([
    { path: SAMPLE, ok: true },
    { path: MISSING, ok: false, error: 'path_not_found' },
  ]);
  const single = await cli.run(['inspect', '--json', at('below')]);
  expect(single.code).toBe(0);
  expect(JSON.parse(single.stdout)).toMatchObject([{ path: at('below/deep.tif'), ok: true }]);
});

it('says that a folder contains nothing to open', async () => {
  mkdirSync(at('empty'), { recursive: true });
  const { code, stderr } = await cli.run(['inspect', at('empty')]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^acqstore: unsupported_format: empty contains nothing that can be opened\. .*\n$/);
});

it('applies the selection to each file', async () => {
  const { code, stdout } = await cli.run(['inspect', '--jsonl', '--time', '1', SAMPLE, at('scan 2.tif')]);
  expect(code).toBe(1);
  expect(lines(stdout).map(({ error }) => error)).toEqual(['selection_out_of_range', 'selection_out_of_range']);
});

it.runIf(LONG)('adds the metadata of the vendor with --metadata, in one thread and in several', async () => {
  const xml = '<ImageDocument><Metadata><LensNA>1.2</LensNA></Metadata></ImageDocument>';
  const path = writeTemp(tempFolder(), 'lens.czi', writeCzi({ ...stack(1, 1), xml }));
  const metadata = { entries: [{ name: 'LensNA', value: '1.2' }], truncated: false };
  const text = await cli.run(['inspect', '--metadata', path]);
  expect(text.stdout).toMatch(/\n\nmetadata\n {2}LensNA {2}1\.2\n$/);
  const one = JSON.parse((await cli.run(['inspect', '--json', '--metadata', path])).stdout);
  expect(one.source.metadata).toEqual(metadata);
  const several = JSON.parse((await cli.run(['inspect', '--json', '--metadata', path, path])).stdout);
  expect(several.map(({ source }: OpenResponse) => source.metadata)).toEqual([metadata, metadata]);
  expect(JSON.parse((await cli.run(['inspect', '--json', path])).stdout).source).not.toHaveProperty('metadata');
});

it.runIf(LONG)('refuses --json together with --jsonl', async () => {
  const { code, stderr } = await cli.run(['inspect', '--json', '--jsonl', SAMPLE]);
  expect(code).toBe(2);
  expect(stderr).toContain("option '--jsonl' cannot be used with option '--json'");
});

it('takes a list, the failed files of an earlier run, and a shard of them', async () => {
  writeFileSync(at('list'), `${at('scan 10.tif')}\n${at('damaged.tif')}\n${at('scan 2.tif')}\n`);
  const all = await cli.run(['inspect', '--jsonl', '--from', at('list')]);
  expect([all.code, lines(all.stdout).map(({ ok }) => ok)]).toEqual([4, [true, false, true]]);
  writeFileSync(at('lines'), all.stdout);
  const failed = await cli.run(['inspect', '--jsonl', '--retry', at('lines')]);
  expect([failed.code, lines(failed.stdout).map(({ path }) => path)]).toEqual([1, [at('damaged.tif')]]);
  const shard = await cli.run(['inspect', '--json', '--from', at('list'), '--shard', '2/3']);
  expect(JSON.parse(shard.stdout)).toMatchObject([{ path: at('scan 2.tif'), ok: true }]);
});

it('exits silently when its reader closes the pipe', () => {
  const many = Array.from({ length: 200 }, () => SAMPLE);
  const script = '"$@" 2>err | head -c 10 >/dev/null; cat err';
  const main = resolve(import.meta.dirname, '../../packages/server/dist/cli/main.js');
  const args = ['-c', script, 'sh', process.execPath, main, 'inspect', '--jsonl', ...many];
  expect(execFileSync('sh', args, { cwd: folder, encoding: 'utf8' })).toBe('');
  expect(readFileSync(at('err'), 'utf8')).toBe('');
});
