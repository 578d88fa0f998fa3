import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, REPOSITORY, SAMPLE } from '../support/cli.js';
import { programPath } from '../support/desktop.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const available = programPath('deno') !== undefined;
if (!available) console.warn('NO DENO: the client was not imported in it; the npm package deno has the program');

const folder = tempFolder();

describe.runIf(available)('the client in Deno', () => {
  const cli = new Cli();
  let url: string;
  beforeAll(async () => {
    url = (await cli.serve()).url;
  });
  afterAll(() => cli.close());

  async function deno(...args: string[]): Promise<string> {
    const env = { ...process.env, DENO_DIR: join(folder, 'deno'), NO_COLOR: '1' };
    return (await promisify(execFile)('deno', args, { env, cwd: folder })).stdout;
  }

  it('runs the program of docs/client.md, imported from the server', async () => {
    const page = readFileSync(join(REPOSITORY, 'docs/client.md'), 'utf8');
    const [, program = ''] = /## Use it in Deno[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const path = writeTemp(folder, 'program.ts', local(program));
    const { host } = new URL(url);
    const said = await deno('run', '--no-prompt', `--allow-net=${host}`, `--allow-import=${host}`, path);
    expect(said).toMatch(/^4000 × 96, first sample \d+\n$/);
  });

  it('finds the installed package, with its types', async () => {
    const installed = join(folder, 'node_modules', 'acquisition-store');
    for (const part of ['package.json', 'dist/client', 'dist/readers']) {
      cpSync(join(REPOSITORY, 'packages/server', part), join(installed, part), { recursive: true });
    }
    symlinkSync(join(REPOSITORY, 'node_modules/typebox'), join(folder, 'node_modules/typebox'), 'dir');
    writeTemp(folder, 'package.json', '{"dependencies": {"acquisition-store": "*"}}');
    const program = (type: string) => `import { type AcqClient, createClient } from 'acquisition-store/client';
      const client: AcqClient = createClient({ baseUrl: 'http://127.0.0.1:8767' });
      const version: ${type} = (await client.health()).apiVersion;
      console.log(version);`;
    const right = writeTemp(folder, 'right.ts', local(program('string')));
    expect(await deno('run', '--check', '--no-prompt', `--allow-net=${new URL(url).host}`, right)).toBe('v2\n');
    const wrong = writeTemp(folder, 'wrong.ts', local(program('number')));
    await expect(deno('check', wrong)).rejects.toThrow(/TS2322/);
  });

  function local(program: string): string {
    return program.replaceAll('http://127.0.0.1:8767', url).replaceAll('/data/scan.tif', SAMPLE);
  }
});
