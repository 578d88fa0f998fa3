/** A file that takes the place of another one, and cannot be told from it but by when it was created. */
import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

/** Longer than the clock of a file system takes for one step. */
const STEP_MS = 20;
const RECORDED = new Date('2026-01-02T03:04:05Z');

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

function write(path: string, value: number): void {
  writeFileSync(path, writeTiff({ pages: [{ width: 3, height: 2, samples: new Uint16Array(6).fill(value) }] }));
  utimesSync(path, RECORDED, RECORDED);
}

/** Writes another file, until one has the number of the first. @returns the sample of the last one */
async function replaceTwice(path: string, context: TestContext): Promise<number> {
  const { ino, birthtimeMs } = statSync(path, { bigint: true });
  if (birthtimeMs === 0n) context.skip('this file system does not tell when a file was created');
  for (let value = 2; value < 10; value++) {
    await pause(STEP_MS);
    write(`${path}.new`, value);
    renameSync(`${path}.new`, path);
    if (statSync(path, { bigint: true }).ino === ino) return value;
  }
  return context.skip('this file system does not use the number of a deleted file again');
}

it('planes are not read from another file with the number, size and time of the one that was opened', async (context) => {
  const path = join(folder, 'scan.tif');
  write(path, 1);
  const before = await openOk(server.url, { path, decode: 'later' });
  const value = await replaceTwice(path, context);
  const refused = await fetch(server.url + before.channels[0]!.dataUrl);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({
    error: 'source_changed',
    message: expect.stringContaining('scan.tif was replaced by another file'),
  });
  const after = await openOk(server.url, { path });
  expect(after.source.revision).not.toBe(before.source.revision);
  const data = await fetch(server.url + after.channels[0]!.dataUrl);
  expect([...new Float32Array(await data.arrayBuffer())]).toEqual(Array(6).fill(value));
});

it('planes of two files with one number, size and time are not shared', async (context) => {
  const path = join(folder, 'shared.tif');
  write(path, 1);
  const before = await openOk(server.url, { path });
  const value = await replaceTwice(path, context);
  const after = await openOk(server.url, { path });
  for (const [{ channels }, expected] of [
    [before, 1],
    [after, value],
  ] as const) {
    const data = await fetch(server.url + channels[0]!.dataUrl);
    expect([...new Float32Array(await data.arrayBuffer())]).toEqual(Array(6).fill(expected));
  }
});
