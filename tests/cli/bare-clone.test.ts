import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { REPOSITORY, Running } from '../support/cli.js';
import { tempFolder } from '../support/temp.js';

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const possible = has('git', '-C', REPOSITORY, 'rev-parse') && has('npm', '--version') && has('curl', '--version');
if (!possible) console.warn('NO GIT CLONE, NPM OR CURL: npm start on a bare clone was not tested');

/** Commands of the README in the order in which a reader meets them. */
const commands = [...readFileSync(join(REPOSITORY, 'README.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, command]) => (command as string).trim(),
);

const folder = tempFolder();

it.runIf(possible)(
  'the commands of the README work on a bare clone',
  async () => {
    const clone = join(folder, 'clone with a blank, 100%');
    for (const name of listFiles()) {
      mkdirSync(dirname(join(clone, name)), { recursive: true });
      cpSync(join(REPOSITORY, name), join(clone, name));
    }
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);

    const [start, open = ''] = commands;
    expect(commands).toHaveLength(2);
    expect(start).toBe('npm start');
    const env = { ...process.env, XDG_STATE_HOME: folder, npm_config_prefer_offline: 'true' };
    // A process group of its own: npm, and the server below it, get the signal as from a terminal.
    const child = spawn('npm', ['start', '--', '--port', '0'], { cwd: clone, env, detached: true });
    const server = new Running(child);
    onTestFinished(() => {
      if (child.exitCode === null && !child.signalCode) process.kill(-(child.pid as number), 'SIGKILL');
    });
    const [, url = ''] = await server.says(/API +(http:\S+)\/api\/v2\n[\s\S]*Ctrl-C/, 150_000);

    // What only the tests and the linter need was not installed.
    expect(readdirSync(join(clone, 'node_modules'))).toEqual(expect.arrayContaining(['fastify', 'typescript', 'vite']));
    for (const name of ['vitest', 'playwright-core', '@biomejs', 'acquisition-store-tests']) {
      expect(existsSync(join(clone, 'node_modules', name)), name).toBe(false);
    }

    const { examples } = (await (await fetch(`${url}/api/v2/examples`)).json()) as { examples: { path: string }[] };
    const sample = examples[0]?.path as string;
    expect(sample).toBe(join(clone, 'examples', 'vessel-kymograph.ome.tif'));
    const curl = open.replace('http://127.0.0.1:8767', url);
    const answer = JSON.parse(execFileSync('sh', ['-c', curl], { cwd: clone, encoding: 'utf8' })) as OpenResponse;
    expect(answer.plane.shape).toEqual([4000, 96]);
    const bytes = await (await fetch(url + answer.channels[0]?.dataUrl)).arrayBuffer();
    expect(bytes.byteLength).toBe(4000 * 96 * 4);

    // The command that the start has named, without a registry.
    expect(server.stdout).toContain('Other commands, in this folder: npx acqstore --help\n');
    const offline = { ...env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: join(folder, 'no cache') };
    const run = { cwd: clone, encoding: 'utf8', env: offline } as const;
    const inspected = execFileSync('npx', ['acqstore', 'inspect', sample], run);
    expect(inspected).toContain('4000  0.00117 s');

    process.kill(-(child.pid as number), 'SIGINT');
    await server.ended;
    await expect(fetch(`${url}/api/v2/health`)).rejects.toThrow();
  },
  200_000,
);

/** What a clone of this working tree would hold. */
function listFiles(): string[] {
  const args = ['-C', REPOSITORY, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', args, { encoding: 'utf8' }).split('\0');
  return names.filter((name) => name !== '' && existsSync(join(REPOSITORY, name)));
}
