import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cli, REPOSITORY, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const folder = tempFolder();
const cli = new Cli();
const page = readFileSync(join(REPOSITORY, 'docs/client.md'), 'utf8');
const programs = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text]) => text as string);
let url: string;

beforeAll(async () => {
  url = (await cli.serve()).url;
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(REPOSITORY, 'packages/server'), join(folder, 'node_modules', 'acquisition-store'), 'dir');
});
afterAll(() => cli.close());

async function run(program: string): Promise<string[]> {
  const text = program.replaceAll('http://127.0.0.1:8767', url).replaceAll('/data/scan.tif', SAMPLE);
  const path = writeTemp(folder, 'program.mjs', text);
  const { stdout } = await promisify(execFile)(process.execPath, ['--preserve-symlinks-main', path]);
  return stdout.trimEnd().split('\n');
}

it('the programs in docs/client.md print what the page says', async () => {
  expect(programs).toHaveLength(4);
  const [plane, , error, connection] = programs as [string, string, string, string];
  const said = await run(plane);
  expect(said[0]).toBe('4000 lines of 96 pixels, 0.00117 seconds per line');
  expect(said[1]).toBe('1000 lines read');
  expect(said.at(-2)).toBe('100 %');
  expect(said.at(-1)).toMatch(/^first sample \d+ at row 0, column 0$/);
  expect(await run(error)).toEqual(['path_not_found 404']);
  expect(await run(connection)).toEqual([`Connected to ${url}.`]);
});

it('the program that follows a recording prints its sizes as it grows', async () => {
  const recording = writeTemp(folder, 'recording.tif', readFileSync(SAMPLE));
  const growing = setInterval(() => appendFileSync(recording, Buffer.alloc(64)), 200);
  const own = new Cli();
  try {
    const server = await own.serve();
    const text = programs[1]!.replace('http://127.0.0.1:8767', server.url).replace('/data/recording.tif', recording);
    const child = execFile(process.execPath, ['--preserve-symlinks-main', writeTemp(folder, 'follow.mjs', text)]);
    let said = '';
    child.stdout?.on('data', (part: string) => {
      said += part;
      // Enough has been seen.
      if (said.includes('}')) void server.interrupt();
    });
    await once(child, 'close');
    expect(said).toMatch(/\{ C: 2, .*Y: 4000, X: 96 \}/);
    expect(said).toMatch(/ended: stopped\n$/);
  } finally {
    clearInterval(growing);
    await own.close();
  }
});

it('the program in docs/analysis.md prints statistics of the sample', async () => {
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(REPOSITORY, 'docs/analysis.md'), 'utf8')) ?? [];
  const said = await run(program as string);
  expect(said[0]).toMatch(/^mean \d+\.\d, median \d+(\.\d+)?$/);
  expect(said[1]).toBe('overview 3 × 100 × 10');
});

/** Members of a union of texts, as its source lists them. */
function members(file: string, type: string): string[] {
  const source = readFileSync(join(REPOSITORY, 'packages', 'client', 'src', file), 'utf8');
  const [, body = ''] = new RegExp(`export type ${type} =\\n([\\s\\S]*?);`).exec(source) ?? [];
  return [...body.matchAll(/'([a-z_]+)'/g)].map(([, name]) => name as string);
}

it.each([
  ['client-codes', 'errors.ts', 'ClientErrorCode'],
  ['connection-causes', 'connection.ts', 'ConnectionCause'],
])('docs/client.md lists all %s', (block, file, type) => {
  const table = page.split(`<!-- ${block} -->`)[1]?.split(`<!-- /${block} -->`)[0] ?? '';
  const listed = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  expect(listed.length).toBeGreaterThan(5);
  expect(listed.sort()).toEqual(members(file, type).sort());
});
