import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reader } from '../../../packages/readers/src/formats/tiff/index.js';
import type { OpenInput } from '../../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { openFileSource } from '../../../packages/server/src/platform-node/file-source.js';
import { folderOnDisk } from '../../../packages/server/src/platform-node/files.js';
import { CountingSource } from '../../support/counting-source.js';
import { tempFolder } from '../../support/temp.js';
import { asciiTag, scanimageText } from '../../writers/scanimage.js';
import { writeTiff } from '../../writers/tiff.js';

const SIDE = 512;
const PLANE_BYTES = SIDE * SIDE * 2;
const PAGES = 10_000;
const WRITTEN = 4;

/** A classic TIFF of 5 GB, as ScanImage wrote them: the pointers end where 32 bits do. Sparse on disk. */
function writeLarge(path: string): void {
  const values = { 'hChannels.channelSave': 1, 'hRoiManager.scanFramePeriod': 0.05 };
  const head = writeTiff({
    pages: Array.from({ length: WRITTEN }, (_, page) => ({
      width: SIDE,
      height: SIDE,
      samples: new Int16Array(SIDE * SIDE).fill(page + 1),
      tags: [asciiTag(305, scanimageText(values))],
    })),
    next: { offset: 0xfffffff0 },
  });
  const stride = (head.length - 8) / WRITTEN;
  const file = openSync(path, 'w');
  writeSync(file, head);
  ftruncateSync(file, 8 + stride * PAGES);
  // The last page: a copy of the first, with the values of its own.
  const last = 8 + stride * (PAGES - 1);
  writeSync(file, head, 8, stride - PLANE_BYTES, last);
  writeSync(
    file,
    new Uint8Array(new Int16Array(SIDE * SIDE).fill(-7).buffer),
    0,
    PLANE_BYTES,
    last + stride - PLANE_BYTES,
  );
  closeSync(file);
}

it('reads the last frame of a ScanImage TIFF of 5 GB, and no more than that', async () => {
  const folder = folderOnDisk(tempFolder());
  const path = join(folder.path, 'large.tif');
  writeLarge(path);
  const source = new CountingSource(openFileSource(path));
  const probe: OpenInput['probe'] = {
    name: 'large.tif',
    kind: 'file',
    head: source.read(0, 64),
    entries: [],
    size: source.size,
  };
  const acquisition = await reader.open({ probe, source, folder });
  const [scene] = acquisition.info.scenes;
  expect(scene?.sizes).toEqual({ T: PAGES, Z: 1, Y: SIDE, X: SIDE });
  expect(source.size).toBeGreaterThan(2 ** 32);
  expect(source.bytes).toBeLessThan(100_000);
  for (const [t, value] of [
    [WRITTEN - 1, WRITTEN],
    [PAGES - 1, -7],
  ] as const) {
    source.reset();
    const target = new NativeTarget('int16', SIDE, SIDE);
    await acquisition.readPlane({ scene: 0, channel: 0, t, z: 0 }, target);
    expect([target.data[0], target.data.at(-1)]).toEqual([value, value]);
    expect(source.bytes).toBeLessThan(PLANE_BYTES + 10_000);
  }
  source.close();
  folder.close();
});
