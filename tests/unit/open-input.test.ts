import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { Folder } from '../../packages/readers/src/io/folder.js';
import type { OpenInput } from '../../packages/readers/src/model/acquisition.js';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { isWhole, openInput, sizeOf } from '../../packages/readers/src/open/open-input.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { FilesOnDisk } from '../../packages/server/src/platform-node/files.js';
import { FilesInMemory } from '../support/files-in-memory.js';
import { lineScan } from '../support/oif.js';
import { stack } from '../support/ome-zarr.js';
import { tempFolder } from '../support/temp.js';
import { oifFiles } from '../writers/oif.js';
import { groupFiles, imageFiles, writeStore } from '../writers/ome-zarr.js';

/** A set in memory. @param spell changes the names of its files */
function oifSet(spell = (name: string) => name): { input: OpenInput; files: FilesInMemory; bytes: number } {
  const [main, ...planes] = oifFiles(lineScan());
  const name = 'scän.oif'.normalize('NFC');
  const content = new Map([[name, main!.bytes]]);
  for (const plane of planes) content.set(`${spell(name)}.files/${plane.name}`, plane.bytes);
  const files = new FilesInMemory(content);
  const source = files.open(name)!;
  const probe: OpenInput['probe'] = {
    name,
    kind: 'file',
    head: source.read(0, Math.min(4096, source.size)),
    entries: [],
    size: source.size,
  };
  const bytes = [...content.values()].reduce((sum, { length }) => sum + length, 0);
  return { input: { source, folder: new Folder(files), probe }, files, bytes };
}

describe('files that are not on a disk', () => {
  it.each([
    ['as they are referred to', (name: string) => name],
    ['with accents in another form of Unicode', (name: string) => name.normalize('NFD')],
  ])('are one acquisition when their names are %s', async (_, spell) => {
    const { input, bytes } = oifSet(spell);
    const { acquisition, format } = await openInput(input);
    expect(format.id).toBe('oif');
    const { X, Y } = acquisition.info.scenes[0]!.sizes;
    const target = new Float32Target(Y, X);
    await acquisition.readPlane({ scene: 0, channel: 1, t: 0, z: 0 }, target);
    expect([...target.data.slice(0, 5)]).toEqual([200, 201, 202, 203, 210]);
    expect(sizeOf(acquisition, input)).toBe(bytes);
    expect(isWhole(acquisition, input)).toBe(false);
  });

  it('are refused by the format, and by the names that messages have', async () => {
    const { input } = oifSet();
    await expect(openInput(input, { allowedExtensions: ['.tif'] })).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/^scän\.oif: the content is .*OIF.*--allow-ext/),
    });
  });
});

describe('descriptors that run out while an acquisition on disk is opened', () => {
  const exhausted = new AcqError('capacity_exceeded', 'too many files are open');
  const { open, list } = FilesOnDisk.prototype;

  /** A set on disk, whose files can be opened or not. */
  function setOnDisk(isThere: boolean): string {
    const folder = tempFolder();
    const path = join(folder, 'scan.oif');
    const [main, ...planes] = oifFiles(lineScan());
    writeFileSync(path, main!.bytes);
    mkdirSync(`${path}.files`);
    for (const plane of isThere ? planes : []) writeFileSync(join(`${path}.files`, plane.name), plane.bytes);
    return path;
  }

  function runOut(): void {
    vi.spyOn(FilesOnDisk.prototype, 'open').mockImplementation(function (this: FilesOnDisk, name) {
      this.exhaustion ??= exhausted;
      return open.call(this, name);
    });
    vi.spyOn(FilesOnDisk.prototype, 'list').mockImplementation(function (this: FilesOnDisk, inside) {
      this.exhaustion ??= exhausted;
      return list.call(this, inside);
    });
  }

  afterEach(() => void vi.restoreAllMocks());

  it('are the error of an open in which the reader went on without a file', async () => {
    const path = setOnDisk(true);
    (await openAcquisition(path)).close();
    runOut();
    await expect(openAcquisition(path)).rejects.toBe(exhausted);
  });

  it('come before the error of the reader, which may follow from it', async () => {
    const path = setOnDisk(false);
    await expect(openAcquisition(path)).rejects.toMatchObject({ code: 'companion_missing' });
    runOut();
    await expect(openAcquisition(path)).rejects.toBe(exhausted);
  });
});

it('a file deep inside an acquisition on disk is named by its place in it', async () => {
  const root = tempFolder();
  const fields = ['A/1/0', 'A/1/1'].map((path) => imageFiles(stack({ version: 2, path })));
  const files = new Map([
    ...groupFiles(2, '', { plate: { wells: [{ path: 'A/1' }] } }),
    ...groupFiles(2, 'A/1', { well: { images: [{ path: '0' }, { path: '1' }] } }),
    ...(await Promise.all(fields)).flatMap((field) => [...field]),
  ]);
  writeStore(join(root, 'plate.zarr'), files);
  const opened = await openAcquisition(join(root, 'plate.zarr', 'A', '1', '1', '.zattrs'));
  opened.close();
  expect(opened.acquisition.info.named).toMatchObject({ scene: 1 });
});
