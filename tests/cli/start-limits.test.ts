/** A start under limits that are too tight: one sentence that says which, exit code 1, and no stack. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkAddressSpace } from '../../packages/server/src/address-space.js';
import { Cli, type Ended, SAMPLE } from '../support/cli.js';
import { limitedCli } from '../support/limited.js';
import { loadEncoders } from '../writers/codecs.js';
import { writeTiff } from '../writers/tiff.js';

function expectSentence({ code, stdout, stderr }: Ended, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/ at \S+:\d+|node:internal/);
  expect([code, stdout]).toEqual([1, '']);
}

async function runUnder(limits: string, args: string[]): Promise<Ended> {
  const { cli, close } = limitedCli(limits);
  try {
    return await cli.run(args);
  } finally {
    await close();
  }
}

const FILES = /^acqstore: capacity_exceeded: [\w ]+: too many files are open \(EMFILE\)\. .*: ulimit -n 4096\.\n$/;

describe.skipIf(process.platform === 'win32')('a shortage of descriptors', () => {
  // Node itself needs some 20 to start, and the server with its workers some 50.
  it.each([26, 32])('stops the start of the server with %i descriptors', async (count) => {
    expectSentence(await runUnder(`ulimit -n ${count}`, ['serve', '--port', '0', '--log-level', 'silent']), FILES);
  });

  it('stops inspect with 22 descriptors', async () => {
    expectSentence(await runUnder('ulimit -n 22', ['inspect', SAMPLE]), FILES);
  });
});

describe('a decode worker that cannot start', () => {
  /** Runs the server with a script that is loaded before it, in each of its threads. */
  async function serveWith(script: string): Promise<Ended> {
    const folder = mkdtempSync(join(tmpdir(), 'acq-threads-'));
    const cli = new Cli();
    try {
      const path = join(folder, 'preload.mjs');
      writeFileSync(path, script);
      return await cli.run(['serve', '--port', '0', '--log-level', 'silent'], {
        NODE_OPTIONS: `--import=${pathToFileURL(path).href}`,
      });
    } finally {
      await cli.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  it('is reported when the system refuses a thread', async () => {
    // What Node throws under "ulimit -u", which does not bind the superuser.
    const ended = await serveWith(`
      import threads from 'node:worker_threads';
      import { syncBuiltinESMExports } from 'node:module';
      threads.Worker = class {
        constructor() {
          const error = new Error('Worker initialization failure: EAGAIN');
          throw Object.assign(error, { code: 'ERR_WORKER_INIT_FAILED' });
        }
      };
      syncBuiltinESMExports();`);
    expectSentence(
      ended,
      /^acqstore: capacity_exceeded: The program cannot start: the system allows no further thread or process/,
    );
  });

  it('is reported when its thread ends early', async () => {
    const ended = await serveWith(`
      import { isMainThread } from 'node:worker_threads';
      if (!isMainThread) throw Object.assign(new Error('EMFILE: too many open files, open x'), { code: 'EMFILE' });`);
    expectSentence(ended, /^acqstore: capacity_exceeded: A decode worker cannot be started: too many files are open/);
  });

  it('is reported when the reason is unknown', async () => {
    const ended = await serveWith(`
      import { isMainThread } from 'node:worker_threads';
      if (!isMainThread) throw new Error('out of luck');`);
    expectSentence(ended, /^acqstore: internal_error: A decode worker cannot be started: out of luck/);
  });
});

describe.runIf(process.platform === 'linux')('a shortage of address space', () => {
  it('stops the start of the server', async () => {
    const ended = await runUnder('ulimit -v 2000000', ['serve', '--port', '0', '--workers', '2']);
    expectSentence(
      ended,
      /limited to 1\.9 GiB \(ulimit -v\); 3\.5 GiB are required for 2 decode workers\. Raise the limit\.\n$/,
    );
  });

  it('stops every command', async () => {
    const ended = await runUnder('ulimit -v 1400000', ['inspect', SAMPLE]);
    expectSentence(ended, /limited to 1\.3 GiB \(ulimit -v\); 1\.5 GiB are required\. Raise the limit\.\n$/);
  });

  it('fails only requests that need decoders in WebAssembly', async () => {
    const { cli, close } = limitedCli('ulimit -v 6000000');
    try {
      const { jpeg, zstd } = await loadEncoders();
      const page = { width: 64, height: 64, samples: new Uint8Array(64 * 64).map((_, i) => i >> 6) };
      const files = { jpeg: { compression: 7, encode: jpeg }, zstd: { compression: 50_000, encode: zstd }, plain: {} };
      const server = await cli.serve(['--workers', '2']);
      const answers: Record<string, string> = {};
      for (const [name, coding] of Object.entries(files)) {
        const path = join(cli.stateHome, `${name}.tif`);
        writeFileSync(path, writeTiff({ pages: [{ ...page, ...coding }] }));
        const headers = { 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: JSON.stringify({ path }) };
        const response = await fetch(`${server.url}/api/v2/open`, init);
        const { error = '', message = '' } = (await response.json()) as { error?: string; message?: string };
        answers[name] = `${response.status} ${error} ${message}`.trim();
      }
      const refused = (name: string) =>
        `503 capacity_exceeded ${name}.tif cannot be read: not enough memory is available. Close other programs, or ` +
        'raise the limit of the address space and restart: ulimit -v.';
      expect(answers).toEqual({
        jpeg: refused('jpeg'),
        zstd: 'zstdDecompressSync' in zlib ? '200' : refused('zstd'),
        plain: '200',
      });
      expect((await server.interrupt()).code).toBe(0);
    } finally {
      await close();
    }
  });

  it('is reported with the number of workers that fit', () => {
    const gib = 2 ** 30;
    expect(() => checkAddressSpace(16, 6 * gib)).toThrow('or use fewer decode workers: --workers 4.');
    expect(() => checkAddressSpace(16, 17.5 * gib)).not.toThrow();
    expect(() => checkAddressSpace(256, Number.POSITIVE_INFINITY)).not.toThrow();
  });
});
