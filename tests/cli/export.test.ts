import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Cli, type Running, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const cli = new Cli();
afterAll(() => cli.close());

const at = (name: string) => join(folder, name);
/** Runs `acqstore export` with an output folder of its own. */
const run = (args: string[]) => cli.run(['export', ...args]);
const names = (path: string) => readdirSync(path).sort();

/** A plane that takes seconds to write as text: 9 million samples. */
function writeLarge(): string {
  const path = at('large.tif');
  if (existsSync(path)) return path;
  const samples = new Float32Array(3000 * 3000).map((_, i) => Math.sqrt(i));
  return writeTemp(folder, 'large.tif', writeTiff({ pages: [{ width: 3000, height: 3000, samples }] }));
}

async function untilWriting(running: Running, out: string): Promise<string> {
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  while (!over) {
    const partial = existsSync(out) ? names(out).find((name) => name.includes('.partial-')) : undefined;
    if (partial !== undefined && statSync(join(out, partial)).size > 0) return partial;
    await new Promise((next) => setTimeout(next, 5));
  }
  throw new Error(`ended before it wrote: ${(await running.ended).stderr}`);
}

describe('acqstore export', () => {
  it('writes one file under a new name, and says where', async () => {
    const out = at('one');
    const { code, stdout, stderr } = await run([SAMPLE, '--to', 'npy', '--out', `${out}/`]);
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      `vessel-kymograph.ome.tif → ${join(out, 'vessel-kymograph.npy')}\n`,
    ]);
    expect(names(out)).toEqual(['vessel-kymograph.json', 'vessel-kymograph.npy']);
    expect((await run([SAMPLE, '--to', 'png', '--out', join(out, 'frame.png'), '--quiet'])).stderr).toBe('');
    expect(names(out)).toContain('frame.png');
  });

  it('says once what the file lacks, and what was assumed', async () => {
    const pages = [0, 1].map(() => ({ width: 2, height: 2, samples: new Uint8Array(4) }));
    const path = writeTemp(folder, 'pages.tif', writeTiff({ pages }));
    const args = [path, '--to', 'npy', '--out', `${at('warned')}/`];
    const { stdout, stderr } = await run(args);
    const [first, ...rest] = stderr.trim().split('\n');
    expect([stdout, first]).toEqual(['', `pages.tif → ${join(at('warned'), 'pages.npy')}`]);
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.every((line) => line.startsWith('acqstore: warning: '))).toBe(true);
    expect(new Set(rest).size).toBe(rest.length);
    expect((await run([...args, '--overwrite', '--quiet'])).stderr).toBe('');
  });

  it('refuses an output that exists, unless it may replace it', async () => {
    const target = writeTemp(folder, 'kept.csv', 'kept');
    const refused = await run([SAMPLE, '--to', 'csv', '--out', target]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'acqstore: output_exists: kept.csv already exists. Choose another name, or add --overwrite.\n',
    ]);
    expect(readFileSync(target, 'utf8')).toBe('kept');
    expect((await run([SAMPLE, '--to', 'csv', '--out', target, '--overwrite'])).code).toBe(0);
    expect(readFileSync(target, 'utf8')).toMatch(/^# file: vessel/);
  });

  it.each([
    [['--to', 'bmp'], /Allowed choices are/],
    [[], /required option '--to <format>' not specified/],
    [['--to', 'csv', '--time', '2:4'], /--time: csv holds one plane\. Give one index, for example --time 2/],
    [['--to', 'npy', '--from', '/no/such/list'], /--from \/no\/such\/list: ENOENT/],
  ])('exits with code 2 for %j', async (args, message) => {
    const { code, stderr } = await run([SAMPLE, ...args]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('refuses planes above the limit before it writes', async () => {
    const { code, stderr } = await run([
      SAMPLE,
      '--to',
      'npy',
      '--out',
      at('limited.npy'),
      '--max-plane-bytes',
      '500KB',
    ]);
    expect(stderr).toBe(
      'acqstore: plane_too_large: vessel-kymograph.ome.tif: one plane of 4,000 × 96 pixels takes 768,000 bytes; the limit is 500,000 (--max-plane-bytes).\n',
    );
    expect([code, existsSync(at('limited.npy'))]).toEqual([1, false]);
  });
});

describe('an export that ends early', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('leaves nothing after %s, and exits with code %i', async (signal, expected) => {
    const out = at(signal);
    const running = cli.start(['export', writeLarge(), '--to', 'csv', '--out', `${out}/`]);
    await untilWriting(running, out);
    running.child.kill(signal);
    const { code } = await running.ended;
    expect([code, names(out)]).toEqual([expected, []]);
  });

  it.runIf(process.platform === 'linux')('leaves nothing on a full disk, and says so', async () => {
    const out = at('full');
    const limited = new Cli({ executable: 'sh', main: '-c' });
    const command = `trap '' XFSZ; ulimit -f 200; exec "${process.execPath}" "${join(import.meta.dirname, '../../packages/server/dist/cli/main.js')}" export "${SAMPLE}" --to npy --out "${out}/"`;
    const { code, stderr } = await limited.run([command]);
    await limited.close();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^acqstore: disk_full: vessel-kymograph\.npy: .*What was written was removed/),
    ]);
    expect(names(out)).toEqual([]);
  });
});

it('stops and leaves nothing when the reader of its lines has gone', () => {
  const out = at('gone');
  writeLarge();
  mkdirSync(out);
  const command = `"$@" 2>err | head -c 1 >/dev/null; cat err; ls -A "${out}"`;
  const main = join(import.meta.dirname, '../../packages/server/dist/cli/main.js');
  const files = [SAMPLE, at('missing.tif'), at('large.tif')];
  const args = ['export', ...files, '--to', 'csv', '--out', out, '--jsonl', '--workers', '2'];
  const text = execFileSync('sh', ['-c', command, 'sh', process.execPath, main, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(text).not.toMatch(/partial|EPIPE/);
});

interface Line {
  path: string;
  ok: boolean;
  output?: string;
  bytes?: number;
  sha256?: string;
  skipped?: boolean;
  error?: string;
}

const parse = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('a batch', () => {
  const data = at('data');
  const out = at('batch');
  for (const part of ['m1', 'm2', 'm3']) {
    mkdirSync(join(data, part), { recursive: true });
    copyFileSync(SAMPLE, join(data, part, 'scan.ome.tif'));
  }
  writeFileSync(join(data, 'm2', 'bad.tif'), 'not a TIFF');
  const listed = ['m1/scan.ome.tif', 'm2/bad.tif', 'm2/scan.ome.tif', 'm3/scan.ome.tif'].map((name) =>
    join(data, name),
  );
  const list = writeTemp(folder, 'list.txt', `${listed.join('\n')}\n`);
  const batch = ['--from', list, '--to', 'npy', '--out', out, '--base', data, '--jsonl'];

  it('refuses names that would collide before it writes anything', async () => {
    const { code, stderr } = await run(['--from', list, '--to', 'npy', '--out', out]);
    expect([code, existsSync(out)]).toEqual([2, false]);
    expect(stderr).toContain(`would both be written to ${join(out, 'scan.npy')}. Add --base FOLDER`);
  });

  it('prints a line per file in the order of the list, and exits with 4 when some fail', async () => {
    const { code, stdout, stderr } = await run(batch);
    const lines = parse(stdout);
    expect(code).toBe(4);
    expect(lines.map(({ path, ok }) => [path, ok])).toEqual(listed.map((path) => [path, !path.endsWith('bad.tif')]));
    expect(lines[0]).toMatchObject({
      output: join(out, 'm1/scan.npy'),
      bytes: statSync(join(out, 'm1/scan.npy')).size,
      source: { size: statSync(SAMPLE).size },
    });
    expect(new Set(lines.map(({ sha256 }) => sha256))).toEqual(
      new Set([expect.stringMatching(/^[0-9a-f]{64}$/), undefined]),
    );
    expect(lines[1]).toMatchObject({ error: 'unsupported_format', message: expect.stringMatching(/^bad\.tif: /) });
    expect(stderr).toBe('4 files: 3 exported, 1 failed\n');
    writeFileSync(at('lines.jsonl'), stdout);
  });

  it('continues: what is finished is skipped, and what changed since is not replaced silently', async () => {
    const again = await run(batch);
    expect(parse(again.stdout).map(({ skipped }) => skipped)).toEqual([true, undefined, true, true]);
    expect(again.stderr).toBe('4 files: 0 exported, 3 already finished, 1 failed\n');
    utimesSync(listed[0]!, 1, 1);
    const changed = await run(batch);
    expect(parse(changed.stdout)[0]).toMatchObject({
      error: 'output_exists',
      message: expect.stringContaining('its source has changed since'),
    });
    expect(parse((await run([...batch, '--overwrite'])).stdout).map(({ ok, skipped }) => [ok, skipped])).toEqual([
      [true, undefined],
      [false, undefined],
      [true, true],
      [true, true],
    ]);
    const other = await run([...batch, '--channel', '1']);
    expect(parse(other.stdout)[0]).toMatchObject({
      error: 'output_exists',
      message: expect.stringContaining('with other options'),
    });
  });

  it('repeats only what failed with --retry', async () => {
    const args = ['--retry', at('lines.jsonl'), '--to', 'npy', '--out', out, '--base', data, '--jsonl'];
    const failed = await run(args);
    expect([failed.code, parse(failed.stdout).map(({ path }) => basename(path))]).toEqual([1, ['bad.tif']]);
    copyFileSync(SAMPLE, join(data, 'm2', 'bad.tif'));
    const { code, stdout } = await run(args);
    expect([code, parse(stdout)[0]]).toEqual([0, expect.objectContaining({ output: join(out, 'm2/bad.npy') })]);
  });

  it('takes a shard of the list, and the list from standard input', async () => {
    const main = join(import.meta.dirname, '../../packages/server/dist/cli/main.js');
    const shell = new Cli({ executable: 'sh', main: '-c' });
    const piped = (shard: string) =>
      `"${process.execPath}" "${main}" export --from - --to csv --out "${at('shards')}" --base "${data}" --shard ${shard} --jsonl < "${list}"`;
    const [first, second] = await Promise.all([shell.run([piped('0/2')]), shell.run([piped('1/2')])]);
    await shell.close();
    expect(parse(first.stdout).map(({ path }) => path)).toEqual([listed[0], listed[2]]);
    expect(parse(second.stdout).map(({ path }) => path)).toEqual([listed[1], listed[3]]);
  });

  it('exports what is directly inside a folder', async () => {
    const { code, stderr } = await run([join(data, 'm1'), '--to', 'png', '--out', at('folder')]);
    expect([code, names(at('folder'))]).toEqual([0, ['.scan.png.done.json', 'scan.png']]);
    expect(stderr).toMatch(/^scan\.ome\.tif → .*\n$/);
  });
});
