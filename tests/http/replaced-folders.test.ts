/** Another program swaps a folder inside the roots and a link that leads out of them, as fast as it can. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Folder, LocateResult } from '../../packages/client/src/contract/files.js';
import { postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const base = realpathSync(tempFolder());
const root = join(base, 'root');
const swapped = join(root, 'day');
const outside = join(base, 'outside');
const TIME = 1_700_000_000;
/** One list in sixty leaked, before what is listed was held. */
const LISTS = 300;
const OTHERS = 100;

/** Ends with the test, also when that was killed. */
const SWAP = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const [folder, target] = process.argv.slice(1);
  const parent = process.ppid;
  for (let i = 0; process.ppid === parent; i++) {
    process.send(i & 1);
    for (let j = 0; j < 500; j++) {
      renameSync(folder, folder + ' aside');
      symlinkSync(target, folder);
      unlinkSync(folder);
      renameSync(folder + ' aside', folder);
    }
  }`;

const tiff = (width: number) =>
  writeTiff({ pages: [{ width, height: 3, samples: new Uint16Array(3 * width).fill(width) }] });
const INSIDE_WIDTH = 4;
const OUTSIDE_WIDTH = 32;
const OUTSIDE_SIZE = tiff(OUTSIDE_WIDTH).length;

let server: RunningServer;
let swapper: ChildProcess;

beforeAll(async () => {
  for (const [folder, width] of [
    [swapped, INSIDE_WIDTH],
    [outside, OUTSIDE_WIDTH],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'scan.tif'), tiff(width));
    utimesSync(join(folder, 'scan.tif'), TIME, TIME);
  }
  writeFileSync(join(outside, 'secret.tif'), tiff(OUTSIDE_WIDTH));
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(base, 'state'), roots: [root] });
  swapper = spawn(process.execPath, ['-e', SWAP, swapped, outside], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(swapper, 'message');
});
afterAll(async () => {
  await stopSwapping();
  await server.close();
});

/** Stops the other program, and puts the folder back. */
async function stopSwapping(): Promise<void> {
  if (swapper.exitCode === null && swapper.signalCode === null) {
    const ended = once(swapper, 'exit');
    swapper.kill('SIGKILL');
    await ended;
  }
  if (!existsSync(`${swapped} aside`)) return;
  rmSync(swapped, { force: true });
  renameSync(`${swapped} aside`, swapped);
}

/** Asks `count` times, and on until something was told: a busy machine may show the link each time. Returns what was told. */
async function askOften<T>(count: number, ask: () => Promise<{ status: number; body: T }>): Promise<T[]> {
  const told: T[] = [];
  for (let i = 0; i < count || (told.length === 0 && i < 50 * count); i++) {
    const { status, body } = await ask();
    if (status === 200) told.push(body);
  }
  return told;
}

describe('a folder that is swapped for a link out of the roots', () => {
  it('is listed, but never the folder that the link leads to', async () => {
    const answers = await askOften(LISTS, async () => {
      const response = await fetch(`${server.url}/api/v2/folders?path=${encodeURIComponent(swapped)}`);
      return { status: response.status, body: (await response.json()) as Folder };
    });
    const entries = answers.flatMap((answer) => answer.entries);
    expect(entries.filter(({ name, size }) => name !== 'scan.tif' || size === OUTSIDE_SIZE)).toEqual([]);
    expect(entries.length).toBeGreaterThan(0);
  });

  it('is searched, but never the folder that the link leads to', async () => {
    const file = { name: 'scan.tif', size: OUTSIDE_SIZE, modified: TIME * 1000 };
    const answers = await askOften(OTHERS, async () => {
      const response = await fetch(`${server.url}/api/v2/locate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(file),
      });
      return { status: response.status, body: (await response.json()) as LocateResult };
    });
    expect(answers.length).toBe(OTHERS);
    expect(answers.flatMap(({ paths }) => paths)).toEqual([]);
  });

  it('gives files of its own only', async () => {
    const path = join(swapped, 'scan.tif');
    const opened = await askOften(OTHERS, async () => {
      const [status, body] = await postOpen(server.url, { path });
      if (status === 200) await fetch(`${server.url}/api/v2/sessions/${body.sessionId}`, { method: 'DELETE' });
      return { status, body };
    });
    expect(opened.filter(({ plane }) => plane.shape.at(-1) !== INSIDE_WIDTH)).toEqual([]);
    // Nearly every open meets a swap, and is refused.
    await stopSwapping();
    const [status, whole] = await postOpen(server.url, { path });
    expect([status, whole.plane.shape.at(-1)]).toEqual([200, INSIDE_WIDTH]);
  });
});
