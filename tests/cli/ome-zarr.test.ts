import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeFile } from '../../packages/server/src/batch/describe-file.js';
import { toText } from '../../packages/server/src/cli/inspect.js';
import { smallImage } from '../support/ome-zarr.js';
import { tempFolder } from '../support/temp.js';
import { imageFiles, writeStore, zipStore } from '../writers/ome-zarr.js';

const folder = tempFolder();
const files = await imageFiles(smallImage());
const store = writeStore(join(folder, 'image.ome.zarr'), files);
const zip = join(folder, 'image.ome.zarr.zip');
mkdirSync(folder, { recursive: true });
writeFileSync(zip, zipStore(files));

it.each([
  ['a folder', store, 'ome.zarr'],
  ['a document in it', join(store, '.zattrs'), 'ome.zarr'],
  ['a zip archive', zip, 'ome.zarr.zip'],
])('acqstore inspect describes %s', async (_, path, format) => {
  const answer = await describeFile(path, {});
  const text = toText(answer);
  expect(text).toMatch(new RegExp(`format +${format.replaceAll('.', '\\.')}\n`));
  expect(text).toMatch(/Y +3 +0\.5 µm +file/);
  expect(text).toMatch(/X +4 +0\.25 µm +file/);
  expect(text).toContain('0  GFP');
  expect(answer.channels[0]).toEqual({
    index: 0,
    name: 'GFP',
    color: '#00FF00',
    byteLength: 48,
    window: { start: 0, end: 255 },
  });
});
