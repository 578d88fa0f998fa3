import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS } from '../../packages/conformance/src/index.js';
import { absent, field, OPEN } from '../kit/break.js';
import { Cli, REPOSITORY } from '../support/cli.js';
import { faultyProxy } from '../support/faulty-proxy.js';
import { LONG } from '../support/long.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const allowed = join(folder, 'allowed');
mkdirSync(allowed);
let cli: Cli;
let server: RunningServer;
beforeAll(async () => {
  cli = new Cli();
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, roots: [allowed] });
});
afterAll(async () => {
  await server.close();
  await cli.close();
});

const check = (...args: string[]) => cli.run(['conformance', server.url, '--files', allowed, ...args]);
const countOf = (api: string, level: string) => CHECKS.filter((one) => one.api === api && one.level === level).length;

describe('acqstore conformance', () => {
  it('prints one line per check of the contract and leaves no files', async () => {
    const { code, stdout, stderr } = await check();
    expect([code, stderr]).toEqual([0, '']);
    const count = countOf('v2', 'contract');
    expect(stdout).toContain(`${server.url}: API v2, ${count} checks: ${count} passed, 0 failed, 0 skipped`);
    expect(stdout.match(/^passed {2}\w+\.[\w-]+ +\S/gm)).toHaveLength(count);
    expect(readFileSync(join(REPOSITORY, 'docs/conformance.md'), 'utf8')).toContain(`API v2, ${count} checks: `);
    expect(readdirSync(allowed)).toEqual([]);
    const open = await fetch(`${server.url}/api/v2/health`);
    expect(open.status).toBe(200);
  });

  it.runIf(LONG)('adds the additions of this project, as JSON', async () => {
    const { code, stdout } = await check('--additions', '--json');
    expect(code).toBe(0);
    const count = countOf('v2', 'contract') + countOf('v2', 'additions');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ ok: true, url: server.url, api: 'v2', additions: true, passed: count, failed: 0 });
    expect(report.checks).toHaveLength(count);
    expect(Object.keys(report.checks[0])).toEqual(['id', 'level', 'title', 'status', 'message', 'milliseconds']);
  });

  it.runIf(LONG)('checks API v1', async () => {
    const { code, stdout } = await check('--v1');
    expect(code).toBe(0);
    expect(stdout).toContain(`API v1, ${countOf('v1', 'contract')} checks`);
  });

  it.runIf(LONG)('sends the token to a server that has one, except where a page has none', async () => {
    const guarded = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, token: 'secret' });
    try {
      const args = ['conformance', guarded.url, '--additions', '--json'];
      const { code, stdout } = await cli.run(args, { ACQSTORE_TOKEN: 'secret' });
      expect([JSON.parse(stdout).failed, code]).toEqual([0, 0]);
    } finally {
      await guarded.close();
    }
  });

  it('says what a server does wrong, and exits with code 1', async () => {
    const proxy = await faultyProxy(server.url);
    try {
      proxy.fault = field(OPEN, 'channels.0.byteLength', 70);
      const { code, stdout } = await cli.run(['conformance', proxy.url, '--files', allowed]);
      expect(stdout).toMatch(/^failed {2}open\.channels +`byteLength` of channel 0 is 70; expected 140$/m);
      expect(code).toBe(1);
    } finally {
      await proxy.close();
    }
  });

  it.runIf(LONG)('counts what a server without some fields still has', async () => {
    const proxy = await faultyProxy(server.url);
    try {
      proxy.fault = field(OPEN, 'header.date', undefined);
      const { code, stdout } = await cli.run(['conformance', proxy.url, '--files', allowed]);
      const count = countOf('v2', 'contract');
      expect(stdout.match(/^failed {2}\S+/gm)).toEqual(['failed  open.response', 'failed  reference.fields']);
      expect(stdout).toContain(`${count} checks: ${count - 2} passed, 2 failed, 0 skipped`);
      expect(code).toBe(1);
    } finally {
      await proxy.close();
    }
  });

  it.runIf(LONG)('says in one line that a server does not have the API', async () => {
    const proxy = await faultyProxy(server.url);
    try {
      [proxy.fault] = absent(/^\/api\/v1\//);
      const { code, stdout } = await cli.run(['conformance', proxy.url, '--files', allowed, '--v1']);
      expect(stdout).toBe(
        'failed  v1.api  No API v1 here: POST /api/v1/open has status 404, and is not an answer of it\n\n' +
          `${proxy.url}: API v1, 1 check: 0 passed, 1 failed, 0 skipped\n`,
      );
      expect(code).toBe(1);
    } finally {
      await proxy.close();
    }
  });

  it.runIf(LONG)('ends also where an answer never does', async () => {
    const endless = createHttpServer((_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' });
      const more = () => response.write('x'.repeat(2 ** 16), () => setImmediate(more));
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const { code, stderr } = await cli.run(['conformance', url, '--files', allowed]);
    expect(stderr).toMatch(/^acqstore: not_found: http:\S+: POST \/api\/v2\/open is larger than 16 MiB/);
    expect([code, readdirSync(allowed)]).toEqual([1, []]);
    endless.closeAllConnections();
    endless.close();
  });

  it('says what to do when the server cannot read the files', async () => {
    const { code, stdout, stderr } = await cli.run(['conformance', server.url]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^acqstore: path_not_readable: The server at \S+ cannot read \S+ \(path_not_allowed\)\. Pass --files/,
    );
  });

  it.runIf(LONG)('uses the path of the folder on the computer of the server', async () => {
    const { code, stderr } = await check('--server-files', '/elsewhere');
    expect(code).toBe(1);
    expect(stderr).toContain('cannot read /elsewhere/acqstore-conformance-');
    expect(readdirSync(allowed)).toEqual([]);
  });

  it('says that no server answers', async () => {
    const { code, stderr } = await cli.run(['conformance', 'http://127.0.0.1:9']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/No server answers at http:\/\/127\.0\.0\.1:9/)]);
  });

  it.each([
    [['conformance'], /missing required argument 'base-url'/],
    [['conformance', 'lab'], /"lab" is not an http address/],
    [['conformance', 'http://a', '--server-files', '/x'], /--server-files needs --files/],
    [['conformance', 'http://a', '--files', '/does/not/exist'], /--files: cannot write into \/does\/not\/exist/],
    [['conformance', 'http://a', '--timeout', '0'], /"0" is not a number of seconds/],
  ])('exits with code 2 for %j', async (args, message) => {
    const { code, stderr } = await cli.run(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
