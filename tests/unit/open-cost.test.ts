/** What the open of a small file asks of the system. Each call may be a round trip to a network drive. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAt } from '../../packages/server/src/open.js';
import { locate } from '../../packages/server/src/paths/locate.js';
import { Look, mountPointReader } from '../../packages/server/src/paths/look.js';
import { describeChanges, knowsOwnPaths } from '../../packages/server/src/platform-node/file-source.js';
import { FilesOnDisk } from '../../packages/server/src/platform-node/files.js';
import { REPOSITORY } from '../support/cli.js';

const calls = vi.hoisted(() => [] as string[]);
vi.mock('node:fs', async (load) => {
  const actual = await load<typeof fs>();
  const counted = Object.entries(actual).map(([name, value]) => {
    if (typeof value !== 'function' || !/Sync$/.test(name)) return [name, value];
    const call = (...args: unknown[]) => {
      calls.push(name);
      return (value as (...args: unknown[]) => unknown)(...args);
    };
    return [name, Object.assign(call, value)];
  });
  return Object.fromEntries(counted);
});

/** Names of the calls since the last time, with their number. */
function counts(): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const name of calls.splice(0)) counted[name] = (counted[name] ?? 0) + 1;
  return counted;
}

/** Asks the kernel, not the drive. */
const OWN_PATH = process.platform === 'linux' ? { readlinkSync: 1 } : {};
const PATH = fs.realpathSync(join(REPOSITORY, 'packages/server/warm-up', 'scan.lsm'));
const policy = { roots: [], allowedExtensions: ['.lsm'], platform: process.platform };

it.runIf(process.platform !== 'win32')(
  'finding a file looks once at each folder above it, and twice at the file',
  () => {
    knowsOwnPaths();
    calls.length = 0;
    expect(locate(PATH, policy, new Look()).path).toBe(PATH);
    const looks = PATH.split('/').length - 1;
    // A reference to a file asks its drive no more than a look at it does.
    expect(counts()).toEqual(
      process.platform === 'linux'
        ? { lstatSync: looks, openSync: 1, readlinkSync: 1, fstatSync: 1, closeSync: 1 }
        : { lstatSync: 2 * looks + 2 },
    );
  },
);

it('a file of 1 KB is read once, and compared by its path and one stat', async () => {
  const { acquisition, close, fingerprints } = await openAt({ path: PATH });
  const files = fingerprints();
  expect(counts()).toEqual({ statSync: 1, openSync: 1, ...OWN_PATH, fstatSync: 1, readSync: 1 });
  const { Y, X } = acquisition.info.scenes[0]!.sizes;
  await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, new Float32Target(Y, X));
  close();
  expect(counts()).toEqual({ closeSync: 1 });
  expect(describeChanges(files)).toEqual([]);
  expect(counts()).toMatchObject({ lstatSync: 1 });
});

it.runIf(process.platform === 'linux')('the mount points are read once for all look-ups of an open', () => {
  let now = 1_000;
  const mountPoints = mountPointReader('linux', () => now);
  calls.length = 0;
  mountPoints();
  now += 40;
  expect(mountPoints()).toContain('/');
  expect(counts()).toEqual({ readFileSync: 1 });
  now += 40;
  mountPoints();
  expect(counts()).toEqual({ readFileSync: 1 });
  // Who can do with an older list gets it.
  now += 4_999;
  mountPoints(5_000);
  expect(counts()).toEqual({});
  now += 1;
  mountPoints(5_000);
  expect(counts()).toEqual({ readFileSync: 1 });
});

it.runIf(process.platform !== 'win32')(
  'looking for a text file beside a TIFF does not resolve the folder again',
  async () => {
    const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'acqstore-cost-')));
    fs.copyFileSync(join(REPOSITORY, 'packages/server/warm-up', 'lzw.tif'), join(folder, 'image.tif'));
    const path = join(folder, 'image.tif');
    calls.length = 0;
    const { close } = await openAt({ path });
    // `image.txt` and `image.TXT`
    expect(counts()).toEqual({ statSync: 1, openSync: 3, ...OWN_PATH, fstatSync: 1, readSync: 1 });
    close();
    fs.rmSync(folder, { recursive: true });
  },
);

it.runIf(process.platform !== 'win32')(
  'the files of a set are compared with one look at each of them and of their folders',
  () => {
    const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'acqstore-cost-')));
    const paths = Array.from({ length: 40 }, (_, i) => join(base, 'c', String(i >> 1), `${i}.bin`));
    for (const path of paths) {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, 'x');
    }
    const folder = new FilesOnDisk(base);
    for (const path of paths) folder.open(relative(base, path));
    const files = folder.fingerprints();
    folder.close();
    expect(files).toHaveLength(40);
    calls.length = 0;
    expect(describeChanges(files)).toEqual([]);
    // The first folder is resolved as a whole, the other 19 are looked at.
    expect(counts()).toEqual({ lstatSync: 40 + 19, ...(process.platform === 'linux' ? {} : { realpathSync: 1 }) });
    fs.renameSync(join(base, 'c', '7'), join(base, 'moved'));
    fs.symlinkSync(join(base, 'moved'), join(base, 'c', '7'));
    expect(describeChanges(files)).toEqual(['14.bin was replaced by a link', '15.bin was replaced by a link']);
    fs.rmSync(base, { recursive: true });
  },
);
