import { mkdtempSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenRequest } from '../../src/contract/open.js';
import { defaultOptions } from '../../src/options.js';
import type { RunningServer } from '../../src/server/listen.js';
import { startServer } from '../../src/server/start.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeCziSet } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';

/** A set of files of which one is not copied. */
interface Incomplete {
  name: string;
  /** Writes the set without the file into an empty folder; returns the path to open. */
  write(folder: string): string;
  /** How the message starts: the opened file, then what is missing. */
  message: string;
  /** What is asked of the set; the first plane when not given. */
  ask?: Omit<OpenRequest, 'path'>;
  /** Another plane, which does not need the missing file. */
  served?: Omit<OpenRequest, 'path'>;
}

const cziSet = () => {
  const spec = stack(1, 3);
  return writeCziSet({ ...spec, blocks: spec.blocks.map((block, i) => ({ ...block, part: i >> 1 })) });
};

const SETS: Incomplete[] = [
  {
    name: 'a part of a CZI',
    write: (at) => writeTemp(at, 'big.czi', cziSet()[0] as Uint8Array),
    message: 'big.czi: "big (1).czi", a file of this set,',
    ask: { selection: { Z: 1 } },
    served: { selection: { Z: 0 } },
  },
  {
    name: 'the first file of a CZI',
    write: (at) => writeTemp(at, 'big (1).czi', cziSet()[1] as Uint8Array),
    message: 'big (1).czi: "big.czi", the first file of this set,',
  },
];

const folder = realpathSync(tempFolder());
let server: RunningServer;

beforeAll(async () => {
  server = await startServer({ ...defaultOptions(), port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function open(path: string, ask: Omit<OpenRequest, 'path'> = {}): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`${server.url}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path, ...ask }),
  });
  return [response.status, (await response.json()) as Record<string, unknown>];
}

it.each(SETS)('names $name that is missing, and the folder', async ({ write, message, ask, served }) => {
  const at = mkdtempSync(join(folder, 'set-'));
  const path = write(at);
  const [status, answer] = await open(path, ask);
  expect([status, answer['error'], answer['details']]).toEqual([422, 'companion_missing', null]);
  expect(answer['message']).toContain(`${message} is missing from ${at}. `);
  if (served) expect((await open(path, served))[0]).toBe(200);
});
