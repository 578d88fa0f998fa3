/** What killed exports leave in a folder, and what the next one there does with it. */
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createToken } from '../../packages/server/src/export/partial.js';
import { Cli, type Running, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const cli = new Cli();
afterAll(() => cli.close());

const at = (name: string) => join(folder, name);
const names = (path: string) => readdirSync(path).sort();
const exportSample = async (format: string, out: string) => {
  expect(await cli.run(['export', SAMPLE, '--to', format, '--out', out])).toMatchObject({ code: 0 });
};
/** More than Linux gives to any process. */
const NO_PROCESS = '4194305';

/** Starts an export that takes seconds, 9 million samples as text, and waits until it writes. */
async function startLarge(out: string): Promise<{ running: Running; partial: string }> {
  const samples = new Float32Array(3000 * 3000).map((_, i) => Math.sqrt(i));
  const path = at('large.tif');
  if (!existsSync(path)) writeTemp(folder, 'large.tif', writeTiff({ pages: [{ width: 3000, height: 3000, samples }] }));
  const running = cli.start(['export', path, '--to', 'csv', '--out', `${out}/`]);
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  while (!over) {
    const partial = existsSync(out) ? names(out).find((name) => name.includes('.partial-')) : undefined;
    if (partial !== undefined && statSync(join(out, partial)).size > 0) return { running, partial };
    await new Promise((next) => setTimeout(next, 5));
  }
  throw new Error(`ended before it wrote: ${(await running.ended).stderr}`);
}

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

it('a killed export has no output, and the next one of the same target removes what it left', async () => {
  const out = at('killed');
  const { running, partial } = await startLarge(out);
  await kill(running);
  expect(names(out)).toEqual([partial]);
  const { pid } = running.child;
  expect(partial).toMatch(new RegExp(`^\\.large\\.csv\\.partial-[0-9a-f]{8}-${pid}-[0-9a-f]{8}-[0-9a-f]{16}$`));
  await exportSample('csv', join(out, 'large.csv'));
  expect(names(out)).toEqual(['large.csv']);
});

it('what another process is writing stays, but not the files of one whose id was given again', async () => {
  const out = at('both');
  const { running, partial } = await startLarge(out);
  const [, host, pid, end] = /-(\w{8})-(\d+)-\w{8}(-\w{16})$/.exec(partial) ?? [];
  writeFileSync(join(out, `.old.csv.partial-${host}-${pid}-00000000${end}`), '');
  await exportSample('png', `${out}/`);
  expect(names(out)).toEqual([partial, 'vessel-kymograph.png']);
  await kill(running);
});

it('what another computer is writing stays, unless it is older than a day', async () => {
  const out = at('shared');
  mkdirSync(out);
  const host = createToken().startsWith('0a0a0a0a') ? '0b0b0b0b' : '0a0a0a0a';
  const partial = `.large.csv.partial-${host}-${NO_PROCESS}-0123abcd-0123456789abcdef`;
  writeFileSync(join(out, partial), 'of another computer');
  await exportSample('csv', `${out}/`);
  expect(names(out)).toEqual([partial, 'vessel-kymograph.csv']);
  const longAgo = Date.now() / 1000 - 25 * 3600;
  utimesSync(join(out, partial), longAgo, longAgo);
  await exportSample('png', `${out}/`);
  expect(names(out)).toEqual(['vessel-kymograph.csv', 'vessel-kymograph.png']);
});

it('a folder gets its name back when the export that was replacing it was killed', async () => {
  const out = at('replacing');
  mkdirSync(join(out, 'b.ome.zarr'), { recursive: true });
  const token = createToken().replace(/^(\w+)-\d+-/, `$1-${NO_PROCESS}-`);
  for (const name of ['a', 'b']) {
    mkdirSync(join(out, `.${name}.ome.zarr.previous-${token}`, 'of before'), { recursive: true });
  }
  await exportSample('csv', `${out}/`);
  expect(names(out)).toEqual(['a.ome.zarr', 'b.ome.zarr', 'vessel-kymograph.csv']);
  expect([names(join(out, 'a.ome.zarr')), names(join(out, 'b.ome.zarr'))]).toEqual([['of before'], []]);
});
