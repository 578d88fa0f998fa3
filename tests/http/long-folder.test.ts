/** The answer about a folder of so many files that a thread writes its text. */
import { lstatSync, mkdirSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';

const folder = join(realpathSync(tempFolder()), 'a "long" folder é');
const collator = new Intl.Collator('en', { numeric: true });
let server: RunningServer;

beforeAll(async () => {
  mkdirSync(join(folder, 'scan 7.zarr'), { recursive: true });
  for (let i = 0; i < 2_000; i++) {
    const name = [`scan ${i}`, `Scan_${i} "é"`, `ラインスキャン${i}`, `0${i}𝄞`][i % 4]!;
    const extension = ['.tif', '.OIR', '.ome.tif', '.txt'][Math.floor(i / 4) % 4]!;
    const path = join(folder, name + extension);
    writeFileSync(path, 'x'.repeat(i % 90));
    utimesSync(path, i * 1e6, i * 1e6 + (i % 7) / 7);
  }
  server = await createServer({ port: 0, decodeWorkers: 1 });
});
afterAll(() => server.close());

/** The answer by the definition. */
function expected(names: readonly string[]): string {
  const sorted = names.toSorted((a, b) => collator.compare(a, b) || (a < b ? -1 : 1));
  const entries = sorted.map((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { bigint: true });
    const isFile = stats.isFile();
    return {
      ...{ name, path, kind: isFile ? 'file' : 'folder', size: isFile ? Number(stats.size) : null },
      ...{ modified: Number(stats.mtimeNs / 1_000_000n), openable: true },
    };
  });
  const place = { path: folder, parent: dirname(folder) };
  return JSON.stringify({ ok: true, apiVersion: 'v2', ...place, entries, truncated: false });
}

it('has every entry, in natural order', async () => {
  const response = await fetch(`${server.url}/api/v2/folders?path=${encodeURIComponent(folder)}`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const text = await response.text();
  const { entries } = JSON.parse(text) as { entries: { name: string }[] };
  const names = entries.map(({ name }) => name);
  expect(names.length).toBe(1 + 1_500);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name.endsWith('.txt'))).toEqual([]);
  expect(text).toBe(expected(names));
});
