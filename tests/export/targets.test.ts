import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OUTPUT_ERROR_CODES } from '../../packages/readers/src/derive/writers/output-error.js';
import { temporaryPath } from '../../packages/server/src/export/partial.js';
import { REPOSITORY, SAMPLE } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { exportTo } from './support.js';

const folder = tempFolder();
const at = (name: string) => join(folder, name);
const partials = () => readdirSync(folder).filter((name) => name.includes('.partial-'));

it.each(['folder', 'link', 'dangling link'])('never replaces a %s', async (kind) => {
  const name = `${kind}.csv`;
  if (kind === 'folder') mkdirSync(at(name));
  else symlinkSync(kind === 'link' ? writeTemp(folder, 'linked', 'kept') : at('missing'), at(name));
  await expect(exportTo(folder, name, { path: SAMPLE, format: 'csv', overwrite: true })).rejects.toMatchObject({
    code: 'output_exists',
    message: expect.stringMatching(/is a (folder|link), so --overwrite does not replace it/),
  });
  expect(partials()).toEqual([]);
});

it('never writes over the acquisition itself, also through links', async () => {
  const path = at('source.ome.tif');
  copyFileSync(SAMPLE, path);
  linkSync(path, at('hard.npy'));
  symlinkSync(path, at('soft.npy'));
  for (const name of ['source.ome.tif', 'hard.npy', 'soft.npy']) {
    await expect(exportTo(folder, name, { path, format: 'npy', overwrite: true })).rejects.toMatchObject({
      code: 'output_is_source',
      message: expect.stringContaining(`${name} is the acquisition itself`),
    });
  }
  expect(readFileSync(path)).toEqual(readFileSync(SAMPLE));
});

it('fails when the acquisition changes meanwhile, and leaves nothing', async () => {
  const path = at('changing.ome.tif');
  copyFileSync(SAMPLE, path);
  const exported = exportTo(folder, 'changing.npy', { path, format: 'npy' }, () => utimesSync(path, 1, 1));
  await expect(exported).rejects.toMatchObject({
    code: 'source_changed',
    message: expect.stringMatching(/^changing\.ome\.tif: changed during the export: .* was modified/),
  });
  expect(readdirSync(folder).filter((name) => /changing\.(npy|json)/.test(name))).toEqual([]);
});

it('does not replace what another program has written meanwhile', async () => {
  const exported = exportTo(folder, 'taken.npy', { path: SAMPLE, format: 'npy' }, () =>
    writeFileSync(at('taken.npy'), 'of another program'),
  );
  await expect(exported).rejects.toMatchObject({ code: 'output_exists' });
  expect(readFileSync(at('taken.npy'), 'utf8')).toBe('of another program');
  expect(readdirSync(folder).filter((name) => name.includes('taken'))).toEqual(['taken.npy']);
});

it('shortens temporary names to what file systems allow', () => {
  const path = temporaryPath(`/data/${'é'.repeat(120)}.npy`, 'partial', '0123456789abcdef');
  expect(Buffer.byteLength(path.slice('/data/'.length))).toBeLessThanOrEqual(255);
  expect(path).toMatch(/^\/data\/\.é+\.partial-0123456789abcdef$/);
});

it('documents every code of an output that cannot be written', () => {
  const page = readFileSync(join(REPOSITORY, 'docs', 'export.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `([a-z_]+)` \| [A-Z]/gm)].map(([, code]) => code);
  expect(documented).toEqual([...OUTPUT_ERROR_CODES]);
});
