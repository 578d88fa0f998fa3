/** The library in Bun and Deno, which `npm install` brings: the programs of docs/library.md, and a server that ends. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { REPOSITORY, SAMPLE } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const page = readFileSync(join(REPOSITORY, 'docs/library.md'), 'utf8');
const programs = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text]) => text as string);

/** Versions that the page names. */
const VERSIONS = Object.fromEntries(
  [...page.matchAll(/^\| (Bun|Deno) ([\d.]+) \|/gm)].map(([, name, version]) => [name!.toLowerCase(), version]),
);

const SERVER = `
import { createServer } from 'acquisition-store';

const server = await createServer({ port: 0, roots: ['/data'] });
const ask = async (path, options) => (await fetch(server.url + path, options)).json();
const headers = { 'content-type': 'application/json' };
const opened = await ask('/api/v2/open', { method: 'POST', headers, body: JSON.stringify({ path: '/data/scan.tif' }) });
for (const { name, dataUrl } of opened.channels) {
  const samples = new Float32Array(await (await fetch(server.url + dataUrl)).arrayBuffer());
  console.log(name, samples.length, samples.reduce((sum, sample) => sum + sample, 0));
}
const ended = await ask('/api/v2/sessions/' + opened.sessionId, { method: 'DELETE' });
console.log(ended.ok);
await server.close();
console.log('closed');
`;

const tools = LONG ? installRuntimes() : undefined;

function installRuntimes(): string | undefined {
  const folder = tempFolder();
  writeTemp(folder, 'package.json', '{"type": "module"}');
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const options = ['--no-audit', '--no-fund', '--no-save'];
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...packages], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) {
    console.warn(`NO BUN AND NO DENO: npm cannot install ${packages.join(' and ')}: ${stderr.trim().split('\n')[0]}`);
    return undefined;
  }
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(REPOSITORY, 'packages/server'), join(folder, 'node_modules', 'acquisition-store'), 'dir');
  return folder;
}

describe.skipIf(tools === undefined).each([
  ['bun', ['run']],
  ['deno', ['run', '--allow-all']],
])('the library in %s', (name, args) => {
  async function run(program: string): Promise<string> {
    const text = program.replaceAll('/data/scan.tif', SAMPLE).replaceAll("'/data'", `'${dirname(SAMPLE)}'`);
    const path = writeTemp(tools!, 'program.mjs', text);
    const command = join(tools!, 'node_modules', '.bin', name);
    const { stdout } = await promisify(execFile)(command, [...args, path], { cwd: tools!, timeout: 60_000 });
    return stdout;
  }

  it('runs the programs of the page', async () => {
    const [plane, target, server, error] = programs as [string, string, string, string];
    expect(await run(plane)).toContain('the samples of Vessel add up to 17807085');
    expect(await run(target)).toMatch(/^96 columns, the largest sample is \d+\n$/);
    expect(await run(server)).toMatch(/ok: true,\s+apiVersion: ["']v2["']/);
    expect(await run(error)).toBe('path_not_found 404\n');
  });

  it('serves planes that its workers decode, and closes', async () => {
    const told = 'Calcium 384000 5265716\nVessel 384000 17807085\ntrue\nclosed\n';
    expect(await run(SERVER)).toBe(told);
  });
});
