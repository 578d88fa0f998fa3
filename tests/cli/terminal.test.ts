/** What reaches a terminal: names of files and texts of other programs, never the control characters in them. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { visible, visibleJson, visibleLines } from '../../packages/server/src/cli/visible.js';
import { Cli, MAIN, Running, SAMPLE } from '../support/cli.js';

/** Clears the screen, turns the rest red, starts a line that looks like one of the server's, reverses the text. */
const NAME = 'a\u001b[2J\u001b[31m\nNothing was started.\u202efit.\u0085b\u009b1m';
const SHOWN = 'a\\u001b[2J\\u001b[31m\\nNothing was started.\\u202efit.\\u0085b\\u009b1m';
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let cli: Cli;
beforeEach(() => {
  cli = new Cli();
});
afterEach(() => cli.close());

const copySample = (name: string) => {
  const path = join(cli.stateHome, `${name}.ome.tif`);
  copyFileSync(SAMPLE, path);
  return path;
};

describe('escapes', () => {
  it('make unsafe characters visible and change nothing else', () => {
    expect(visible(NAME)).toBe(SHOWN);
    expect(visible('µ ΔF/F 日本 😀 \u200d')).toBe('µ ΔF/F 日本 😀 \u200d');
    expect(visibleLines('a\n\tb\u001b')).toBe('a\n\tb\\u001b');
    const value = { path: NAME };
    expect(visibleJson(JSON.stringify(value))).not.toMatch(UNSAFE);
    expect(JSON.parse(visibleJson(JSON.stringify(value)))).toEqual(value);
  });
});

describe.skipIf(process.platform === 'win32')('names with control characters', () => {
  it('are printed as escapes by acqstore inspect', async () => {
    const path = copySample(NAME);
    const { code, stdout } = await cli.run(['inspect', path]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(UNSAFE);
    expect(stdout).toContain(`${SHOWN}.ome.tif (`);
    expect(stdout).not.toMatch(/^Nothing was started/m);
    const json = await cli.run(['inspect', path, '--json']);
    expect(json.stdout).not.toMatch(UNSAFE);
    expect((JSON.parse(json.stdout) as { source: { name: string } }).source.name).toBe(`${NAME}.ome.tif`);
  });

  it('are printed as escapes on one line in errors of every command', async () => {
    const runs = [
      ['inspect', join(cli.stateHome, `${NAME}.tif`)],
      ['serve', '--root', join(cli.stateHome, NAME)],
      ['serve', '--config', join(cli.stateHome, NAME)],
      ['serve', '--port', NAME],
    ];
    for (const args of runs) {
      const { code, stderr } = await cli.run(args);
      expect(code, stderr).toBeGreaterThan(0);
      expect(stderr).toContain(SHOWN);
      expect(stderr).not.toMatch(UNSAFE);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    const unknown = await cli.run([`--${NAME}`]);
    expect(unknown.stderr).toContain('unknown option');
    expect(unknown.stderr).not.toMatch(UNSAFE);
  });

  it('are printed as escapes in the log path and in the name of another server', async () => {
    const stateDir = join(cli.stateHome, NAME);
    const server = await cli.serve(['--state-dir', stateDir]);
    const path = copySample(NAME);
    const body = JSON.stringify({ path });
    const headers = { 'content-type': 'application/json' };
    const opened = await fetch(`${server.url}/api/v2/open`, { method: 'POST', headers, body });
    expect(opened.status).toBe(200);
    const { stdout, stderr } = await server.interrupt();
    expect(stdout).toContain(`Log     ${join(cli.stateHome, SHOWN)}/acqstore.log\n`);
    expect(stderr).toContain('"msg":"opening"');
    for (const text of [stdout, stderr]) expect(text).not.toMatch(UNSAFE);

    const link = { href: '/', method: 'GET', description: '' };
    const names = ['health', 'capabilities', 'open', 'pickAndOpen', 'openapi', 'docs', 'demo'];
    const links = Object.fromEntries(names.map((name) => [name, link]));
    const index = { ok: true, apiVersion: 'v2', description: NAME, serverVersion: '1', links };
    const alien = createServer((request, response) =>
      response.end(JSON.stringify(request.url?.endsWith('health') ? { ok: true, apiVersion: 'v2' } : index)),
    );
    await new Promise<void>((done) => alien.listen(0, '127.0.0.1', done));
    const taken = await cli.run(['serve', '--port', String((alien.address() as AddressInfo).port)]);
    alien.close();
    expect(taken.code).toBe(3);
    expect(taken.stderr).toContain(`another server of this API ("${SHOWN}")`);
    expect(taken.stderr).not.toMatch(UNSAFE);
  });
});

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
if (!hasScript)
  console.warn('\n*** NOT RUN: readable log lines on a terminal, which need script(1) of util-linux ***\n');

describe.runIf(hasScript)('log lines on a terminal', () => {
  it('show escapes and have no control characters except the colors of the log', async () => {
    mkdirSync(cli.stateDir);
    const path = copySample(NAME);
    const command = `exec '${process.execPath}' '${MAIN}' serve --port 0`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: { ...process.env, XDG_STATE_HOME: cli.stateHome, TERM: 'xterm-256color' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const server = new Running(child);
    const [, url] = await server.says(/API +(http:\S+)\/api\/v2\s[\s\S]*Ctrl-C/);
    const body = JSON.stringify({ path });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body })).status).toBe(200);
    const missing = JSON.stringify({ path: `${path}-missing.tif` });
    expect((await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: missing })).status).toBe(404);
    await server.says(/path_not_found/);
    child.stdin?.write('\u0003');
    const { stdout } = await server.ended;
    const text = stdout
      .replace(/\u001b\[(\d+|\?25[hl])m/g, '')
      .replaceAll('\r\n', '\n')
      .replace('^C', '');
    expect(text).toMatch(/INFO.*opening/);
    expect(text).toContain('Nothing was started.\\u202efit.\\u0085b');
    expect(text).not.toMatch(UNSAFE);
    expect(text).not.toMatch(/^Nothing was started/m);
  });
});
