/** Recordings that were written as several files, on a real server. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOk, postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { type FrameSpec, type HeaderValues, scanimageFrames } from '../writers/scanimage.js';
import { type TagSpec, writeTiff } from '../writers/tiff.js';

const root = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: root });
});
afterAll(() => server.close());

const HEADER: HeaderValues = {
  VERSION_MAJOR: 2020,
  'hChannels.channelSave': 1,
  'hRoiManager.scanFramePeriod': 0.05,
  'hStackManager.enable': 'false',
};
const EPOCH = '[2023  4 13 17 45 2.164]';

/** Frames `from` to `to`; the value of a frame is its number. */
function split(from: number, to: number, more: Partial<FrameSpec> = {}, header: HeaderValues = HEADER): Uint8Array {
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return scanimageFrames(
    header,
    numbers.map((number) => ({ number, value: number, epoch: EPOCH, ...more })),
  );
}

let folders = 0;
/** Writes files into a folder of their own. Returns the path of one. */
function write(files: Record<string, Uint8Array>): (name: string) => string {
  const folder = join(root, `case-${folders++}`);
  mkdirSync(folder);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return (name) => join(folder, name);
}

const THREE = () => ({
  'a_00001_00001.tif': split(1, 4),
  'a_00001_00002.tif': split(5, 8),
  'a_00001_00003.tif': split(9, 10),
});

async function samples(address: string): Promise<Float32Array> {
  const response = await fetch(server.url + address);
  expect(response.status, await response.clone().text()).toBe(200);
  return new Float32Array(await response.arrayBuffer());
}

const firstSample = async (address: string) => (await samples(address))[0]!;

async function valuesAlongT(opened: Awaited<ReturnType<typeof openOk>>): Promise<number[]> {
  const { T = 1 } = opened.header.sizes;
  const values: number[] = [];
  for (let t = 0; t < T; t++) values.push(await firstSample(`${opened.channels[0]!.dataUrl}?T=${t}`));
  return values;
}

async function getJson<T>(address: string): Promise<T> {
  const response = await fetch(server.url + address);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

describe('a file of a split ScanImage recording', () => {
  it('is opened alone, and says what it is a part of', async () => {
    const path = write(THREE());
    const { source, header, warnings, parts } = await openOk(server.url, { path: path('a_00001_00002.tif') });
    expect(source.recording).toEqual({ parts: 3, part: 1, along: ['T'], evidence: 'frame numbers' });
    expect([header.sizes['T'], parts, warnings]).toEqual([4, undefined, []]);
  });

  it('does not depend on the files beside it', async () => {
    const path = write(THREE());
    const opened = await openOk(server.url, { path: path('a_00001_00001.tif') });
    writeFileSync(path('a_00001_00002.tif'), split(5, 7));
    const again = await openOk(server.url, { path: path('a_00001_00001.tif') });
    expect(again.source.revision).toBe(opened.source.revision);
    expect(await firstSample(`${opened.channels[0]!.dataUrl}?T=2`)).toBe(3);
  });

  it('is opened with the others when asked to', async () => {
    const path = write(THREE());
    const request = { path: path('a_00001_00001.tif'), parts: 'all' };
    const opened = await openOk(server.url, request);
    expect([opened.parts, opened.header.sizes, opened.warnings]).toEqual(['all', { C: 1, T: 10, Y: 2, X: 4 }, []]);
    expect(opened.source.recording).toEqual({ parts: 3, part: 0, along: ['T'], evidence: 'frame numbers' });
    expect(await valuesAlongT(opened)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(opened.header.physicalUnits[1]).toBeCloseTo(0.05, 9);
    const base = `/api/v2/sessions/${opened.sessionId}`;
    const { axes } = await getJson<{ axes: { T: { values: number[] } } }>(`${base}/coordinates`);
    expect(axes.T.values.map((value) => Number(value.toFixed(6)))).toEqual(
      Array.from({ length: 10 }, (_, i) => Number((0.05 * i).toFixed(6))),
    );
    const { total, columns } = await getJson<{ total: number; columns: { time: number[] } }>(`${base}/planes`);
    expect([total, columns.time.length]).toEqual([10, 10]);
    expect(columns.time[9]).toBeCloseTo(0.45, 6);
  });

  it('is the first plane that is shown of the whole', async () => {
    const path = write(THREE());
    const opened = await openOk(server.url, { path: path('a_00001_00002.tif'), parts: 'all' });
    expect([opened.selection, opened.source.recording?.part]).toEqual([{ T: 4 }, 1]);
    expect(await firstSample(opened.channels[0]!.dataUrl)).toBe(5);
  });

  it('shares no planes with the whole', async () => {
    const path = write(THREE());
    const one = await openOk(server.url, { path: path('a_00001_00002.tif'), selection: { T: 1 } });
    const all = await openOk(server.url, { path: path('a_00001_00002.tif'), parts: 'all', selection: { T: 1 } });
    expect(await firstSample(one.channels[0]!.dataUrl)).toBe(6);
    expect(await firstSample(all.channels[0]!.dataUrl)).toBe(2);
  });

  it('is a part of a larger file and of another revision as a whole', async () => {
    const path = write(THREE());
    const request = { path: path('a_00001_00001.tif'), parts: 'all', decode: 'later' };
    const before = await openOk(server.url, request);
    writeFileSync(path('a_00001_00003.tif'), split(9, 11));
    const after = await openOk(server.url, request);
    expect(after.source.revision).not.toBe(before.source.revision);
    expect(after.header.sizes['T']).toBe(11);
    const stale = await fetch(`${server.url}${before.channels[0]!.dataUrl}?T=1`);
    expect([stale.status, ((await stale.json()) as { error: string }).error]).toEqual([409, 'source_changed']);
  });

  it('appears in a session of the whole, which must be opened again', async () => {
    const { 'a_00001_00003.tif': last, ...two } = THREE();
    const path = write(two);
    const opened = await openOk(server.url, { path: path('a_00001_00001.tif'), parts: 'all', decode: 'later' });
    writeFileSync(path('a_00001_00003.tif'), last);
    expect((await fetch(`${server.url}${opened.channels[0]!.dataUrl}?T=1`)).status).toBe(409);
  });

  it('is exported by the Zarr of the session with all others', async () => {
    const path = write(THREE());
    const { sessionId } = await openOk(server.url, { path: path('a_00001_00001.tif'), parts: 'all' });
    const { shape } = await getJson<{ shape: number[] }>(`/api/v2/sessions/${sessionId}/0.4.ome.zarr/0/0/.zarray`);
    expect(shape).toEqual([10, 1, 1, 2, 4]);
  });
});

describe('a split recording that is not complete', () => {
  it('is shown with a warning about the file and the frames that are missing', async () => {
    const { 'a_00001_00002.tif': _, ...files } = THREE();
    const path = write(files);
    expect((await openOk(server.url, { path: path('a_00001_00001.tif') })).source.recording?.parts).toBe(2);
    const opened = await openOk(server.url, { path: path('a_00001_00001.tif'), parts: 'all' });
    expect(await valuesAlongT(opened)).toEqual([1, 2, 3, 4, 9, 10]);
    expect(opened.warnings.slice(0, 3)).toEqual([
      'By the names of the files, a_00001_00002.tif is missing.',
      'Between a_00001_00001.tif and a_00001_00003.tif, frames 5 to 8 are missing.',
      expect.stringContaining('By the frame numbers, 4 frames are missing, the first after T = 3.'),
    ]);
    const { axes } = await getJson<{ axes: { T: { values: number[] } } }>(
      `/api/v2/sessions/${opened.sessionId}/coordinates`,
    );
    expect(axes.T.values.map((value) => Number(value.toFixed(6)))).toEqual([0, 0.05, 0.1, 0.15, 0.4, 0.45]);
  });

  it('says that its beginning is missing', async () => {
    const { 'a_00001_00001.tif': _, ...files } = THREE();
    const path = write(files);
    const { warnings } = await openOk(server.url, { path: path('a_00001_00002.tif'), parts: 'all' });
    expect(warnings).toContain(
      'a_00001_00002.tif: the first file that is there begins with frame 5; those before it are missing.',
    );
  });

  it('skips a file that cannot be read', async () => {
    const files = { ...THREE(), 'a_00001_00002.tif': Uint8Array.of(1, 2, 3) };
    const path = write(files);
    const opened = await openOk(server.url, { path: path('a_00001_00001.tif'), parts: 'all' });
    expect(opened.header.sizes['T']).toBe(6);
    expect(opened.warnings[0]).toBe('a_00001_00002.tif cannot be read, so it was skipped.');
  });

  it('counts frames once that are in two files', async () => {
    const path = write({ ...THREE(), 'a_00001_00004.tif': split(9, 10), 'a_00001_00005.tif': split(10, 12) });
    const opened = await openOk(server.url, { path: path('a_00001_00001.tif'), parts: 'all' });
    expect(await valuesAlongT(opened)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(opened.warnings).toEqual([
      'a_00001_00004.tif: begins with frame 9, as a_00001_00003.tif does, so it was skipped.',
      'a_00001_00005.tif: begins with frame 10, which is in a_00001_00003.tif, too, so it was skipped.',
    ]);
  });

  it('is in the order of its frames, whatever the files are called', async () => {
    const path = write({ 'a_1.tif': split(5, 8), 'a_2.tif': split(1, 4) });
    const opened = await openOk(server.url, { path: path('a_1.tif'), parts: 'all' });
    expect(await valuesAlongT(opened)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(opened.warnings[0]).toContain('not in the order of their frame numbers');
  });
});

describe('files of ScanImage that do not belong to one recording', () => {
  it('are left out when they are of another acquisition', async () => {
    const path = write({ ...THREE(), 'a_00001_00003.tif': split(9, 10, { acquisition: 2 }) });
    const one = await openOk(server.url, { path: path('a_00001_00001.tif') });
    expect(one.source.recording?.parts).toBe(2);
    expect((await openOk(server.url, { path: path('a_00001_00003.tif') })).source.recording).toBeUndefined();
    const opened = await openOk(server.url, { path: path('a_00001_00001.tif'), parts: 'all' });
    expect([opened.header.sizes['T'], opened.warnings]).toEqual([8, []]);
  });

  it.each([
    ['that began at another time', split(5, 8, { epoch: '[2023  4 13 18 0 0]' })],
    ['with another frame period', split(5, 8, {}, { ...HEADER, 'hRoiManager.scanFramePeriod': 0.1 })],
    ['of another version', split(5, 8, {}, { ...HEADER, VERSION_MAJOR: 2021 })],
  ])('are opened alone: one %s', async (_, other) => {
    const path = write({ 'a_00001.tif': split(1, 4), 'a_00002.tif': other });
    expect((await openOk(server.url, { path: path('a_00001.tif') })).source.recording).toBeUndefined();
    const opened = await openOk(server.url, { path: path('a_00001.tif'), parts: 'all' });
    expect([opened.header.sizes['T'], opened.source.recording]).toEqual([4, undefined]);
    expect(opened.warnings).toEqual([expect.stringContaining('this file is shown alone: no other file continues its')]);
  });
});

describe('volumes that the border of two files cuts', () => {
  const FAST: HeaderValues = {
    ...HEADER,
    'hStackManager.enable': 'true',
    'hStackManager.stackMode': "'fast'",
    'hStackManager.actualNumSlices': 3,
    'hStackManager.numFramesPerVolume': 3,
    'hStackManager.framesPerSlice': 1,
    'hStackManager.actualStackZStepSize': 10,
    'hRoiManager.scanVolumeRate': 1 / 0.15,
  };

  it('are whole', async () => {
    const path = write({
      'v_1.tif': split(1, 4, {}, FAST),
      'v_2.tif': split(5, 8, {}, FAST),
      'v_3.tif': split(9, 9, {}, FAST),
    });
    const opened = await openOk(server.url, { path: path('v_1.tif'), parts: 'all' });
    expect([opened.header.sizes, opened.warnings]).toEqual([{ C: 1, T: 3, Z: 3, Y: 2, X: 4 }, []]);
    const url = opened.channels[0]!.dataUrl;
    for (const [t, z] of [
      [0, 2],
      [1, 0],
      [1, 1],
      [2, 1],
      [2, 2],
    ] as const)
      expect(await firstSample(`${url}?T=${t}&Z=${z}`)).toBe(3 * t + z + 1);
  });

  it('and frames that it cuts between their channels are whole, too', async () => {
    const two = { ...HEADER, 'hChannels.channelSave': '[1;2]' };
    const pages = (specs: [number, number][]) =>
      scanimageFrames(
        two,
        specs.map(([number, channel]) => ({ number, value: 10 * number + channel, epoch: EPOCH })),
      );
    const path = write({
      'c_1.tif': pages([
        [1, 1],
        [1, 2],
        [2, 1],
      ]),
      'c_2.tif': pages([
        [2, 2],
        [3, 1],
        [3, 2],
      ]),
    });
    const opened = await openOk(server.url, { path: path('c_1.tif'), parts: 'all' });
    expect([opened.header.sizes, opened.warnings]).toEqual([{ C: 2, T: 3, Y: 2, X: 4 }, []]);
    expect(await firstSample(`${opened.channels[0]!.dataUrl}?T=1`)).toBe(21);
    expect(await firstSample(`${opened.channels[1]!.dataUrl}?T=1`)).toBe(22);
  });
});

/** A page of 4 × 3 samples that count from 12 × `index`. */
const plain = (index: number, tags: TagSpec[] = []) => writeTiff({ pages: [countingPage(index, tags)] });

describe('files with labeled numbers', () => {
  const GRID = () => ({
    'x_t9_z1_c1.tif': plain(0),
    'x_t9_z1_c2.tif': plain(1),
    'x_t9_z2_c1.tif': plain(2),
    'x_t9_z2_c2.tif': plain(3),
    'x_t10_z1_c1.tif': plain(4),
    'x_t10_z1_c2.tif': plain(5),
    'x_t10_z2_c1.tif': plain(6),
    'x_t10_z2_c2.tif': plain(7),
  });

  it('are offered, by their names', async () => {
    const path = write(GRID());
    const { source, header } = await openOk(server.url, { path: path('x_t10_z1_c1.tif') });
    expect(source.recording).toEqual({ parts: 8, part: 4, along: ['T', 'Z', 'C'], evidence: 'names' });
    expect(header.dims).toEqual(['C', 'Y', 'X']);
  });

  it('are joined when asked to, in the order of the numbers, with a warning', async () => {
    const path = write(GRID());
    const opened = await openOk(server.url, { path: path('x_t10_z1_c1.tif'), parts: 'all' });
    expect(opened.header.sizes).toEqual({ C: 2, T: 2, Z: 2, Y: 3, X: 4 });
    expect(opened.channels.map(({ name }) => name)).toEqual(['c1', 'c2']);
    expect(opened.selection).toEqual({ T: 1, Z: 0 });
    expect(opened.header.fileSize).toBe(`${((8 * plain(0).length) / 1000).toFixed(1)} KB`);
    expect(opened.warnings).toEqual([
      expect.stringContaining('joined by the numbers in their names (T, Z, C)'),
      'The numbers of T begin with 9: files before it may be missing.',
    ]);
    for (let index = 0; index < 8; index++) {
      const [t, z, c] = [index >> 2, (index >> 1) & 1, index & 1];
      expect(await firstSample(`${opened.channels[c]!.dataUrl}?T=${t}&Z=${z}`)).toBe(12 * index);
    }
  });

  it('become scenes when they are numbered as series', async () => {
    const path = write({ 'x_s1.tif': plain(0), 'x_s2.tif': plain(1) });
    const opened = await openOk(server.url, { path: path('x_s2.tif'), parts: 'all' });
    expect(opened.source.scenes?.map(({ name }) => name)).toEqual(['s1', 's2']);
    expect([opened.selection, await firstSample(opened.channels[0]!.dataUrl)]).toEqual([{ S: 1 }, 12]);
  });

  it('join the time points inside of them, too', async () => {
    const film = (first: number) => writeTiff({ pages: [countingPage(first), countingPage(first + 1)] });
    const path = write({ 'x_t1.tif': film(0), 'x_t2.tif': film(2) });
    const interpret = { axes: { T: 4 } };
    const opened = await openOk(server.url, { path: path('x_t1.tif'), parts: 'all', interpret });
    expect((await valuesAlongT(opened)).map((value) => value / 12)).toEqual([0, 1, 2, 3]);
  });

  it('are refused when one is missing, and say which', async () => {
    const { 'x_t10_z2_c2.tif': _, ...files } = GRID();
    const path = write(files);
    expect((await openOk(server.url, { path: path('x_t9_z1_c1.tif') })).source.recording).toBeUndefined();
    const [status, { error, message }] = await postOpen(server.url, { path: path('x_t9_z1_c1.tif'), parts: 'all' });
    expect([status, error]).toEqual([422, 'companion_missing']);
    expect(message).toContain('x_t10_z2_c2.tif');
  });

  it('are refused when time points between them are missing, whatever the step', async () => {
    const path = write({ 'x_t1.tif': plain(0), 'x_t3.tif': plain(1), 'x_t5.tif': plain(2) });
    const [status, { error, message }] = await postOpen(server.url, { path: path('x_t1.tif'), parts: 'all' });
    expect([status, error]).toEqual([422, 'companion_missing']);
    expect(message).toContain('x_t2.tif');
  });

  it('are not shifted in a session by an earlier file that appears', async () => {
    const path = write({ 'x_t2.tif': plain(2), 'x_t3.tif': plain(3), 'other.tif': plain(9) });
    const opened = await openOk(server.url, { path: path('x_t2.tif'), parts: 'all', decode: 'later' });
    writeFileSync(path('x_t1.tif'), plain(1));
    // The worker closes the files of the session for another one.
    for (let i = 0; i < 40; i++) {
      const name = `other${String.fromCharCode(97 + (i % 26))}${'x'.repeat(i)}.tif`;
      copyFileSync(path('other.tif'), path(name));
      await openOk(server.url, { path: path(name) });
    }
    const response = await fetch(`${server.url}${opened.channels[0]!.dataUrl}?T=1`);
    expect(await response.json()).toMatchObject({ ok: false, error: 'source_changed' });
  });

  it('are read again later with a text file beside each', async () => {
    const text = Buffer.from('notes of this frame');
    const path = write({
      ...{ 'x_t1.tif': plain(1), 'x_t2.tif': plain(2), 'x_t3.tif': plain(3), 'other.tif': plain(9) },
      ...{ 'x_t1.txt': text, 'x_t2.txt': text, 'x_t3.txt': text },
    });
    const opened = await openOk(server.url, { path: path('x_t1.tif'), parts: 'all', decode: 'later' });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await firstSample(`${opened.channels[0]!.dataUrl}?T=2`)).toBe(36);
  });

  const resolution = (value: number): TagSpec[] => [
    { code: 282, type: 5, values: [value, 1] },
    { code: 283, type: 5, values: [value, 1] },
    { code: 296, type: 3, values: [3] },
  ];
  const dated = (text: string): TagSpec[] => [{ code: 306, type: 2, text }];

  it.each([
    [
      'another size',
      {
        'x_t1.tif': plain(0),
        'x_t2.tif': writeTiff({ pages: [{ width: 2, height: 3, samples: new Uint16Array(6) }] }),
      },
      'x_t2.tif are not of the size',
    ],
    [
      'other pages',
      { 'x_t1.tif': plain(0), 'x_t2.tif': writeTiff({ pages: [countingPage(1), countingPage(2)] }) },
      'does not have as many',
    ],
    [
      'another step',
      { 'x_t1.tif': plain(0, resolution(1000)), 'x_t2.tif': plain(1, resolution(2000)) },
      'another Y step',
    ],
    [
      'an earlier date',
      { 'x_t1.tif': plain(0, dated('2024:01:02 10:00:00')), 'x_t2.tif': plain(1, dated('2024:01:02 09:00:00')) },
      'recorded before',
    ],
    ['the same number', { 'x_t1.tif': plain(0), 'x_t01.tif': plain(1), 'x_t2.tif': plain(2) }, 'have the same numbers'],
    ['no content', { 'x_t1.tif': plain(0), 'x_t2.tif': Uint8Array.of(1) }, 'x_t2.tif cannot be read'],
  ])('are refused when one has %s', async (_, files, message) => {
    const path = write(files);
    const [status, body] = await postOpen(server.url, { path: path('x_t1.tif'), parts: 'all' });
    expect([status, body.error]).toEqual([422, 'request_validation_failed']);
    expect(body.message).toContain(message);
  });
});

describe('films with labeled numbers', () => {
  /** An ImageJ film of 3 frames, 0.5 s apart, that began at a time. */
  const film = (time: string) =>
    writeTiff({
      pages: [0, 1, 2].map((i) =>
        countingPage(i, [
          { code: 306, type: 2, text: `2024:01:02 ${time}` },
          ...(i === 0
            ? [{ code: 270, type: 2, text: 'ImageJ=1.53\nimages=3\nframes=3\nfinterval=0.5\nunit=micron\n' } as TagSpec]
            : []),
        ]),
      ),
    });
  const warningsOf = async (...times: string[]) => {
    const path = write(Object.fromEntries(times.map((time, i) => [`x_t${i + 1}.tif`, film(time)])));
    const { warnings, header } = await openOk(server.url, { path: path('x_t1.tif'), parts: 'all' });
    expect([header.sizes['T'], header.physicalUnits[1]]).toEqual([3 * times.length, 0.5]);
    return warnings.filter((warning) => !warning.includes('joined by the numbers'));
  };

  it('that follow each other have no warning, and others say how long the pause was', async () => {
    expect(await warningsOf('10:00:00', '10:00:02', '10:00:03')).toEqual([]);
    expect(await warningsOf('10:00:00', '10:00:31', '10:00:33')).toEqual([
      'By the times in the files there was a pause of 30 s between x_t1.tif and x_t2.tif. T counts as if they followed each other.',
    ]);
    expect(await warningsOf('10:00:00', '10:00:31', '11:00:00')).toEqual([
      'By the times in the files there were 2 pauses, the longest of 3,570 s between x_t2.tif and x_t3.tif. T counts as if they ' +
        'followed each other.',
    ]);
  });
});

describe('files without any evidence', () => {
  it.each([
    ['scan1.tif', 'scan2.tif', 'scan2.tif has another number, but nothing says what the number counts'],
    ['scan.tif', 'scan2.tif', 'its name has no number'],
    ['x_t1.tif', 'x_t2 (1).tif', 'no other file in its folder'],
    ['MAX_t1.tif', 'MAX_t2.tif', 'its name has no number'],
  ])('are opened alone: %s beside %s', async (name, other, why) => {
    const path = write({ [name]: plain(0), [other]: plain(1) });
    expect((await openOk(server.url, { path: path(name) })).source.recording).toBeUndefined();
    const opened = await openOk(server.url, { path: path(name), parts: 'all' });
    expect([opened.header.dims, opened.source.recording]).toEqual([['C', 'Y', 'X'], undefined]);
    expect(opened.warnings).toEqual([expect.stringContaining(why)]);
  });

  it('are of a format that has its own sets', async () => {
    const path = write({ 'x_1.tif': plain(0) });
    copyFileSync(path('x_1.tif'), path('x_2.txt'));
    expect((await postOpen(server.url, { path: path('x_1.tif'), parts: 'some' }))[0]).toBe(422);
    rmSync(path('x_2.txt'));
  });
});
