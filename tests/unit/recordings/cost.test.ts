/** What it costs to read a plane of a recording in hundreds of files: system calls, each of which may be a trip to a drive. */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { reopenAll } from '../../../packages/server/src/decode/reopen.js';
import { openAt } from '../../../packages/server/src/open.js';
import { tempFolder } from '../../support/temp.js';
import { countingPage } from '../../support/tiff-cases.js';
import { scanimageFrames } from '../../writers/scanimage.js';
import { writeTiff } from '../../writers/tiff.js';

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

const COUNT = 300;
const folder = fs.realpathSync(tempFolder());
const nameOf = (t: number) => `x_t${String(t).padStart(3, '0')}.tif`;
const path = join(folder, nameOf(0));
const target = () => new Float32Target(3, 4);

/** The folder has not changed for a while: then its state tells that no file was added or removed. */
function settle(): void {
  const past = new Date(Date.now() - 3_600_000);
  fs.utimesSync(folder, past, past);
}

beforeAll(() => {
  for (let t = 0; t < COUNT; t++) {
    fs.writeFileSync(join(folder, nameOf(t)), writeTiff({ pages: [countingPage(t)] }));
  }
  settle();
});

it('a plane is read with its own file and a look at the folder, however many files there are', async () => {
  const first = await openAt({ path }, { parts: 'all' });
  expect(first.acquisition.info.scenes[0]!.sizes.T).toBe(COUNT);
  expect(calls.filter((name) => name === 'openSync').length).toBeGreaterThanOrEqual(COUNT);
  const known = first.fingerprints();
  first.close();
  calls.length = 0;

  const opened = await reopenAll(() => openAt({ path }, { parts: 'all', isKnown: true }), known);
  const plane = target();
  await opened.acquisition.readPlane({ scene: 0, channel: 0, t: 250, z: 0 }, plane);
  expect([plane.data[0], opened.changes()]).toEqual([12 * 250, []]);
  expect(calls.filter((name) => name === 'openSync').length).toBeLessThanOrEqual(8);
  expect(calls.length).toBeLessThanOrEqual(40);
  opened.close();
});

it('of all that are open, only those that were read are looked at again', async () => {
  const opened = await openAt({ path }, { parts: 'all' });
  expect(opened.changes()).toEqual([]);
  calls.length = 0;
  await opened.acquisition.readPlane({ scene: 0, channel: 0, t: COUNT - 1, z: 0 }, target());
  expect(opened.changes()).toEqual([]);
  expect(calls.length).toBeLessThanOrEqual(12);
  // A file that appears changes the folder: then all of them are looked at.
  fs.writeFileSync(join(folder, 'other.txt'), 'x');
  calls.length = 0;
  expect(opened.changes()).toEqual([]);
  expect(calls.filter((name) => name === 'lstatSync').length).toBeGreaterThan(COUNT);
  fs.appendFileSync(join(folder, nameOf(7)), 'x');
  expect(opened.changes()).toEqual([expect.stringContaining(`${nameOf(7)} had`)]);
  opened.close();
});

it('says which file was added, removed or changed when it is opened again', async () => {
  fs.rmSync(join(folder, 'other.txt'));
  fs.writeFileSync(join(folder, nameOf(7)), writeTiff({ pages: [countingPage(7)] }));
  const first = await openAt({ path }, { parts: 'all' });
  const known = first.fingerprints();
  first.close();
  const again = () => reopenAll(() => openAt({ path }, { parts: 'all', isKnown: true }), known);
  const [kept, extra] = [join(folder, nameOf(9)), join(folder, nameOf(COUNT))];
  fs.writeFileSync(extra, writeTiff({ pages: [countingPage(0)] }));
  await expect(again()).rejects.toMatchObject({
    code: 'source_changed',
    message: expect.stringContaining('was added'),
  });
  fs.rmSync(extra);
  fs.renameSync(kept, `${kept}.bak`);
  await expect(again()).rejects.toMatchObject({ code: 'source_changed' });
  fs.renameSync(`${kept}.bak`, kept);
  const { size } = fs.statSync(kept);
  fs.truncateSync(kept, size - 4);
  const opened = await again();
  await expect(opened.acquisition.readPlane({ scene: 0, channel: 0, t: 9, z: 0 }, target())).rejects.toThrow();
  expect(
    opened.fingerprints().some((one) => known.some((other) => other.path === one.path && other.size !== one.size)),
  ).toBe(true);
  opened.close();
});

it('a part that has become another image is an error that names it', async () => {
  fs.writeFileSync(
    join(folder, nameOf(9)),
    writeTiff({ pages: [{ width: 2, height: 2, samples: new Uint16Array(4) }] }),
  );
  const { acquisition, close } = await openAt({ path }, { parts: 'all', isKnown: true });
  await expect(acquisition.readPlane({ scene: 0, channel: 0, t: 9, z: 0 }, target())).rejects.toMatchObject({
    code: 'decode_failed',
    message: `${nameOf(9)} has planes of another size than ${nameOf(0)}, unlike before`,
  });
  close();
});

it('an open of a file among thousands of other recordings looks at the headers of a few', async () => {
  const others = fs.realpathSync(tempFolder());
  const header = { VERSION_MAJOR: 2020, 'hChannels.channelSave': 1, 'hRoiManager.scanFramePeriod': 0.05 };
  const file = (number: number, epoch: string) => scanimageFrames(header, [{ number, value: number, epoch }]);
  for (let i = 1; i <= 400; i++) {
    const epoch = i >= 200 && i < 203 ? '[2023 4 13 17 45 2]' : `[2023 4 13 18 ${i % 60} ${Math.floor(i / 60)}.5]`;
    fs.writeFileSync(
      join(others, `a_${String(i).padStart(5, '0')}.tif`),
      file(i >= 200 && i < 203 ? i - 199 : 1, epoch),
    );
  }
  calls.length = 0;
  const seen: number[] = [];
  const opened = await openAt(
    { path: join(others, 'a_00201.tif') },
    { parts: 'all', onProgress: ({ done, total }) => seen.push(done, total) },
  );
  expect(opened.acquisition.info.recording).toMatchObject({ parts: 3, part: 1 });
  expect(calls.filter((name) => name === 'openSync').length).toBeLessThanOrEqual(80);
  expect([seen.length > 10, Math.max(...seen)]).toEqual([true, 400]);
  opened.close();
  expect(dirname(opened.path)).toBe(others);
});
