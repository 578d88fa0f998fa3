/** Recordings in parts, of which some are damaged, missing, doubled or not what their names say. */
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { readHonestly } from '../support/honest.js';
import { openBytes } from '../support/memory.js';
import { tempFolder } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { imageXml } from '../writers/lif.js';
import { ndSet } from '../writers/metamorph-nd.js';
import { scanimageFrames } from '../writers/scanimage.js';
import { writeTiff } from '../writers/tiff.js';
import { honest, hostileCases, mutate, randomNumbers } from './mutate.js';

type Files = Record<string, Uint8Array>;

const plain = (index: number) => writeTiff({ pages: [countingPage(index)] });
const HEADER = { VERSION_MAJOR: 2020, 'hChannels.channelSave': 1, 'hRoiManager.scanFramePeriod': 0.05 };
const EPOCH = '[2023 4 13 17 45 2.164]';

/** Frames with these numbers. */
const frames = (...numbers: number[]) =>
  scanimageFrames(
    HEADER,
    numbers.map((number) => ({ number, value: Math.min(number, 999), epoch: EPOCH })),
  );

const LABELED: Files = Object.fromEntries(
  [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`x_t${i >> 2}_z${(i >> 1) & 1}_c${i & 1}.tif`, plain(i)]),
);
const COUNTED: Files = { 'a_1.tif': frames(1, 2, 3), 'a_2.tif': frames(4, 5, 6), 'a_3.tif': frames(7, 8) };
const LEICA: Files = {
  ...Object.fromEntries([0, 1, 2, 3].map((i) => [`L_t0${i >> 1}_ch0${i & 1}.tif`, plain(i)])),
  'MetaData/L.xml': new TextEncoder().encode(
    `<Data>${imageXml({
      name: '',
      data: new Uint8Array(),
      channels: [
        { bytesInc: 0, resolution: 16 },
        { bytesInc: 24, resolution: 16 },
      ],
      dimensions: [
        { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
        { id: 2, count: 3, length: '4.0e-7', bytesInc: 8 },
        { id: 4, count: 2, length: '1.5', unit: 's', bytesInc: 48 },
      ],
    })}</Data>`,
  ),
};
const SET: Files = ndSet({ stem: 'a', waves: ['DAPI', 'GFP'], stages: ['left', 'right'], times: 2, sections: 2 });
const RECORDINGS = [
  ['with labeled numbers', LABELED],
  ['with counted frames', COUNTED],
  ['exported by Leica', LEICA],
  ['of MetaMorph', SET],
] as const;

const isPart = (name: string) => /\.(tif|stk)$/i.test(name);

/** Files that contradict each other are the fault of the request, and are refused as damaged files are. */
async function openAll(files: Files, named = Object.keys(files).find(isPart)!) {
  const { [named]: bytes, ...others } = files;
  try {
    return await openBytes(named, bytes!, others, { parts: 'all' });
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'request_validation_failed') throw error;
    expect(error.details).toMatchObject([{ location: ['body', 'parts'], type: 'parts_contradict' }]);
    throw new AcqError('decode_failed', error.message, { subject: named });
  }
}

const replaced = (files: Files, changes: Record<string, Uint8Array | undefined>): Files =>
  Object.fromEntries(
    Object.entries({ ...files, ...changes }).flatMap(([name, bytes]) => (bytes ? [[name, bytes] as const] : [])),
  );

/** Opens and reads everything; `refused` or `opened`, in bounded time. */
async function outcome(files: Files, named?: string): Promise<string> {
  const start = performance.now();
  const answer = await readHonestly(() => openAll(files, named));
  expect(performance.now() - start).toBeLessThan(30_000);
  return answer;
}

describe('a recording in parts that is corrupted', () => {
  const cases = Math.ceil(hostileCases(4_000) / RECORDINGS.length);

  it.each(RECORDINGS)(`is refused or opened: one %s, ${cases} times`, { timeout: 3_600_000 }, async (_, files) => {
    const names = Object.keys(files);
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      const random = randomNumbers(i);
      const victim = names[Math.floor(random() * names.length)]!;
      const named = names.filter(isPart)[i % names.filter(isPart).length];
      const damaged = replaced(files, { [victim]: mutate(files[victim]!, i) });
      outcomes[await honest(i, () => openAll(damaged, named))]++;
      // Alone it is at most the file itself.
      const { [named!]: bytes, ...others } = damaged;
      await honest(i, () => openBytes(named!, bytes!, others));
    }
    expect(outcomes.opened).toBeGreaterThan(cases / 20);
  });

  it.each(RECORDINGS)(
    'is refused or opened when each part is missing, empty, or another one: one %s',
    async (_, files) => {
      const names = Object.keys(files);
      const named = names.find(isPart)!;
      for (const name of names.filter((one) => one !== named)) {
        for (const bytes of [undefined, new Uint8Array(), Uint8Array.of(1, 2, 3), plain(99), files[named]!])
          await outcome(replaced(files, { [name]: bytes }), named);
      }
    },
  );
});

describe('frame numbers', () => {
  it.each([
    ['repeat', { 'a_1.tif': frames(1, 1, 1), 'a_2.tif': frames(1, 1), 'a_3.tif': frames(1) }],
    ['run backwards', { 'a_1.tif': frames(9, 8, 7), 'a_2.tif': frames(6, 5, 4) }],
    ['overflow', { 'a_1.tif': frames(1, 2), 'a_2.tif': frames(2 ** 53, 2 ** 53 + 2), 'a_3.tif': frames(1e300) }],
    ['are not whole or below 0', { 'a_1.tif': frames(-5, 0.5), 'a_2.tif': frames(1, 2) }],
    ['jump by billions', { 'a_1.tif': frames(1, 2), 'a_2.tif': frames(4_000_000_000, 4_000_000_001) }],
    ['interleave', { 'a_1.tif': frames(1, 3, 5), 'a_2.tif': frames(2, 4, 6) }],
  ])('that %s are a warning or an error', async (_, files) => {
    const { warnings } = await openAll(files).then(
      ({ info }) => ({ warnings: info.scenes[0]!.warnings }),
      (error: unknown) => {
        expect(error).toBeInstanceOf(AcqError);
        return { warnings: [String(error)] };
      },
    );
    expect(warnings.length).toBeGreaterThan(0);
    await outcome(files);
  });
});

describe('names', () => {
  const HUGE = '9'.repeat(200);

  it.each([
    ['huge numbers', { [`x_t1.tif`]: plain(0), [`x_t${HUGE}.tif`]: plain(1) }],
    ['huge numbers that follow each other', { [`x_t${HUGE}8.tif`]: plain(0), [`x_t${HUGE}9.tif`]: plain(1) }],
    ['huge numbers of counted files', { 'a_1.tif': frames(1), [`a_${HUGE}.tif`]: frames(2) }],
    ['the same number in two spellings', { 'x_t1.tif': plain(0), 'x_t01.tif': plain(1), 'x_t001.tif': plain(2) }],
    ['letters of other scripts as digits', { 'x_t٣.tif': plain(0), 'x_t٤.tif': plain(1), 'x_t1.tif': plain(2) }],
    ['what a pattern uses', { 'x\0_t1.tif': plain(0), 'x_t1.tif': plain(1), 'x_t2.tif': plain(2) }],
    ['many labels', { 't1t2t3z1z2.tif': plain(0), 't1t2t3z1z3.tif': plain(1) }],
    ['a prototype', { '__proto__t1.tif': plain(0), '__proto__t2.tif': plain(1), constructor_t1: plain(2) }],
  ])('with %s are refused or opened', async (_, files) => {
    for (const name of Object.keys(files).filter(isPart)) await outcome(files, name);
  });

  it('of 100,000 files are looked through in seconds, and only a bounded number is opened', async () => {
    const same = plain(0);
    const many = (name: (i: number) => string) =>
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [name(i), same]));
    for (const [files, named] of [
      [many((i) => `x_t${i}.tif`), 'x_t5.tif'],
      [many((i) => `scan_${i}.tif`), 'scan_5.tif'],
      [many((i) => `x_t${i % 317}_z${Math.floor(i / 317)}.tif`), 'x_t5_z5.tif'],
      [{ ...many((i) => `L_t${i}_ch00.tif`), 'MetaData/L.xml': LEICA['MetaData/L.xml']! }, 'L_t5_ch00.tif'],
      [{ ...many((i) => `a_w1DAPI_s1_t${i + 1}.stk`), 'a.nd': SET['a.nd']! }, 'a_w1DAPI_s1_t5.stk'],
    ] as const) {
      const { [named]: bytes, ...others } = files as Files;
      const alone = await openBytes(named, bytes!, others);
      expect(alone.info.scenes).toHaveLength(1);
      const whole = await openAll(files as Files, named).catch((error: unknown) => error);
      if (whole instanceof Error) expect(whole).toBeInstanceOf(AcqError);
    }
    // Work that grows with the square of the files would take hours.
  }, 180_000);
});

describe('files that are not there, or change', () => {
  const target = () => new NativeTarget('uint16', 3, 4);
  const write = (files: Files) => {
    const folder = join(tempFolder(), 'recording');
    mkdirSync(folder);
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    return (name: string) => join(folder, name);
  };
  const SERIES: Files = Object.fromEntries(Array.from({ length: 40 }, (_, t) => [`x_t${t}.tif`, plain(t)]));

  it.runIf(process.platform !== 'win32')('loops of links are not parts', async () => {
    const path = write({ 'x_t1.tif': plain(1), 'x_t2.tif': plain(2), 'a_1.tif': frames(1), 'a_2.tif': frames(2) });
    symlinkSync('x_t4.tif', path('x_t3.tif'));
    symlinkSync('x_t3.tif', path('x_t4.tif'));
    symlinkSync('a_3.tif', path('a_3.tif'));
    symlinkSync('/dev/zero', path('a_4.tif'));
    symlinkSync('.', path('MetaData'));
    await expect(openAcquisition(path('x_t1.tif'), { parts: 'all' })).rejects.toBeInstanceOf(AcqError);
    const counted = await openAcquisition(path('a_1.tif'), { parts: 'all' });
    expect(counted.acquisition.info.scenes[0]!.sizes.T).toBe(2);
    counted.close();
  });

  it.each([
    ['vanishes', (path: string) => rmSync(path)],
    ['is cut', (path: string) => truncateSync(path, 60)],
    [
      'becomes another',
      (path: string) =>
        writeFileSync(path, writeTiff({ pages: [{ width: 9, height: 9, samples: new Uint8Array(81) }] })),
    ],
    [
      'becomes a folder',
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('a part that %s is an error of its planes only', async (_, damage) => {
    const path = write(SERIES);
    const { acquisition, close } = await openAcquisition(path('x_t0.tif'), { parts: 'all' });
    damage(path('x_t3.tif'));
    const read = async (t: number) => {
      const plane = target();
      await acquisition.readPlane({ scene: 0, channel: 0, t, z: 0 }, plane);
      return plane.data[0];
    };
    // The files that were opened last are still open.
    await expect(read(3)).rejects.toBeInstanceOf(AcqError);
    expect([await read(2), await read(39)]).toEqual([24, 39 * 12]);
    close();
  });
});
