/** `--allow-ext`: an extension allows names that end with it, and the format it belongs to, as told by the content. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineScan as brukerLineScan } from '../support/bruker.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { stack as zarrStack } from '../support/ome-zarr.js';
import { postOpen } from '../support/open.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCzi } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { lsmVector } from '../writers/lsm-vector.js';
import { imageFiles, writeStore } from '../writers/ome-zarr.js';

let cli: Cli;
beforeAll(async () => {
  cli = new Cli();
  mkdirSync(data());
  for (const name of ['a.tif', 'a.tiff', 'a.ome.tif', 'a.dat']) copyFileSync(SAMPLE, join(data(), name));
  writeFileSync(join(data(), 'czi.tif'), writeCzi(stack(1, 1)));
  writeFileSync(join(data(), 'a.czi'), writeCzi(stack(1, 1)));
  copyFileSync(SAMPLE, join(data(), 'tiff.czi'));
  writeFileSync(join(data(), 'lsm.tif'), lsmVector());
  writeBruker(join(data(), 'bruker'), brukerLineScan());
  writeStore(join(data(), 'store.tif'), await imageFiles(zarrStack()));
});
afterAll(() => cli.close());

const data = () => join(cli.stateHome, 'data');

async function answers(extensions: string[], names: string[]): Promise<Record<string, string>> {
  const server = await cli.serve(extensions.flatMap((extension) => ['--allow-ext', extension]));
  const found: Record<string, string> = {};
  for (const name of names) {
    const [status, { source, message }] = await postOpen<{ source?: { format: string }; message: string }>(server.url, {
      path: join(data(), name),
    });
    found[name] = source?.format ?? `${status} ${message}`;
  }
  await server.interrupt();
  return found;
}

const NAME = /^415 \S+: this server does not open \.\w+ files \(--allow-ext\)\.$/;
const UNKNOWN = /^415 a\.dat: \.dat is not the extension of a supported format/;
const CONTENT = (label: string) => new RegExp(`^415 \\S+: the content is ${label}, which this server does not open`);

describe('allowed extensions', () => {
  it('opens with .tif only TIFF files with that extension, not other TIFF files', async () => {
    const names = [
      'a.tif',
      'a.ome.tif',
      'a.tiff',
      'a.dat',
      'czi.tif',
      'a.czi',
      'tiff.czi',
      'lsm.tif',
      'bruker',
      'store.tif',
    ];
    expect(await answers(['.tif'], names)).toEqual({
      'a.tif': 'tif',
      'a.ome.tif': 'ome.tif',
      'a.tiff': expect.stringMatching(NAME),
      'a.dat': expect.stringMatching(UNKNOWN),
      'czi.tif': expect.stringMatching(CONTENT('Zeiss CZI')),
      'a.czi': expect.stringMatching(NAME),
      'tiff.czi': expect.stringMatching(NAME),
      'lsm.tif': expect.stringMatching(CONTENT('Zeiss LSM')),
      bruker: expect.stringMatching(CONTENT('Bruker Prairie View')),
      'store.tif': expect.stringMatching(CONTENT('OME-Zarr')),
    });
  });

  it('opens with .tif and .czi either format under either extension', async () => {
    expect(await answers(['.tif', '.czi'], ['czi.tif', 'tiff.czi', 'a.czi', 'lsm.tif'])).toEqual({
      'czi.tif': 'czi',
      'tiff.czi': 'tif',
      'a.czi': 'czi',
      'lsm.tif': expect.stringMatching(CONTENT('Zeiss LSM')),
    });
  });

  it('opens every supported format without --allow-ext', async () => {
    expect(await answers([], ['czi.tif', 'lsm.tif', 'bruker'])).toEqual({
      'czi.tif': 'czi',
      'lsm.tif': 'lsm',
      bruker: 'xml',
    });
  });
});
