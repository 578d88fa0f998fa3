import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { lineScan, NAME, planeName, sample, source } from '../support/bruker.js';
import { writeFiller } from '../support/filler.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';

const root = tempFolder();
/** Bytes of memory that the small planes of these tests do not fill. */
const BUDGET = 16_384;
let server: RunningServer | undefined;
afterEach(() => server?.close());

const start = async (options: Partial<ServerOptions> = {}) => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1, ...options });
  return server.url;
};

type Answer = OpenResponse & { error?: string; message?: string };

async function open(url: string, path: string, more: object = {}): Promise<[number, Answer]> {
  return postOpen(url, { path, ...more });
}

describe('a folder that is an acquisition, through the server', () => {
  it('opens by its path, also with a trailing slash or dots', async () => {
    const at = mkdtempSync(join(root, 'scan-'));
    writeBruker(at, lineScan(2, [1, 2]));
    const url = await start();
    const parts = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = parts.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    const fileSize = `${(bytes / 1000).toFixed(1)} KB`;
    for (const path of [at, `${at}/`, `${at}//.`, join(at, 'References', '..', '.')]) {
      const [status, answer] = await open(url, path);
      expect([status, answer.source.path, answer.source.name]).toEqual([200, at, basename(at)]);
      expect(answer.source.format).toBe('xml');
      expect(answer.header).toMatchObject({ dims: ['C', 'S', 'Y', 'X'], shape: [2, 2, 10, 4], fileSize });
    }
  });

  it('opens by a path from the home folder', async () => {
    const at = mkdtempSync(join(homedir(), '.acqstore-test-'));
    try {
      writeBruker(at, lineScan());
      const [status, answer] = await open(await start(), `~/${basename(at)}/`);
      expect([status, answer.source?.name]).toEqual([200, basename(at)]);
    } finally {
      rmSync(at, { recursive: true });
    }
  });

  it('has its lines, seconds, micrometers, and the overview with the scanned line', async () => {
    const at = mkdtempSync(join(root, 'scan-'));
    writeBruker(at, lineScan(2, [1, 2]));
    const url = await start();
    const [, answer] = await open(url, join(at, planeName(2, 1)), { selection: { S: 1 }, channelIndices: [1] });
    expect(answer.source.path).toBe(join(at, `${NAME}.xml`));
    expect(answer.plane.axes).toEqual([
      { arrayDimension: 0, name: 'Y', size: 10, step: 0.008552, unit: 'seconds' },
      { arrayDimension: 1, name: 'X', size: 4, step: 0.25, unit: 'micrometer' },
    ]);
    expect(answer.reference).toMatchObject({ lineRoi: [2, 3, 5, 3], scanPath: { x: [2, 5], y: [3, 3] } });
    const floats = async (path = '') => new Float32Array(await (await fetch(url + path)).arrayBuffer());
    const lines = await floats(answer.channels[0]?.dataUrl);
    expect(lines[39]).toBe(sample(2, 2, 1, 9, 3));
    const overview = await floats(answer.reference?.channels[1]?.dataUrl);
    expect(overview[63]).toBe(2263);
  });

  it('is required: any other folder is refused with advice on what to open', async () => {
    const at = mkdtempSync(join(root, 'none-'));
    writeFileSync(join(at, 'a.tif'), 'x');
    const [status, answer] = await open(await start(), at);
    expect([status, answer.error]).toEqual([415, 'unsupported_format']);
    expect(answer.message).toMatch(/Bruker Prairie View/);
    expect(answer.message).toMatch(/Open a file inside it/);
  });

  it('stays inside the roots for every part of it', async () => {
    const at = mkdtempSync(join(root, 'scan-'));
    writeBruker(at, lineScan());
    const other = join(root, 'elsewhere');
    mkdirSync(other, { recursive: true });
    const url = await start({ roots: [other] });
    for (const path of [at, join(at, planeName(1, 1)), join(at, `${NAME}.xml`)]) {
      const [status, answer] = await open(url, path);
      expect([status, answer.error]).toEqual([403, 'path_not_allowed']);
    }
  });

  it.each([
    ['its XML', `${NAME}.xml`],
    ['the TIFF of the plane', planeName(1, 1)],
    ['the source image', source(1, 1).file],
  ])('is not read again when %s changed', async (_, name) => {
    const at = mkdtempSync(join(root, 'scan-'));
    writeBruker(at, lineScan(1, [1, 2]));
    const filler = writeFiller(root, BUDGET);
    const url = await start({ memoryBudgetBytes: BUDGET });
    const [, first] = await open(url, at, { channelIndices: [0] });
    await open(url, filler);
    const again = await fetch(url + first.channels[0]?.dataUrl);
    expect(again.status).toBe(200);
    await again.arrayBuffer();
    utimesSync(join(at, name), 1, 1);
    await open(url, filler);
    const changed = await fetch(url + first.channels[0]?.dataUrl);
    expect([changed.status, ((await changed.json()) as Answer).error]).toEqual([409, 'source_changed']);
  });
});
