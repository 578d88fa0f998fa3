import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane, servedReference } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { buildOir, framesOf, type OirSpec, writeOir, writeOirSet } from '../../writers/oir.js';
import { kymographSample, lineScan, stillImage, timeDepthSeries, timeSeries } from '../../writers/oir-kinds.js';
import { writeZip } from '../../writers/zip.js';

const folder = tempFolder();
const SERIES = timeSeries(10, 16);
const [MAIN, PART1, PART2] = writeOirSet(SERIES, [4, 4, 2]) as [Uint8Array, Uint8Array, Uint8Array];

const frame = (t: number) => expectedPlane(16, 16, (y, x) => (t * 11 + y + x) % 4096);

function sceneOf(opened: OpenedAcquisition, index = 0) {
  const scene = opened.acquisition.info.scenes[index];
  if (!scene) throw new Error(`no scene ${index}`);
  return scene;
}

async function expectSeries(opened: OpenedAcquisition): Promise<void> {
  expect(sceneOf(opened).sizes).toEqual({ T: 10, Z: 1, Y: 16, X: 16 });
  for (let t = 0; t < 10; t++) expectSamePlane(await servedPlane(opened, { t }), frame(t));
  expect(sceneOf(opened).warnings).toEqual([]);
  expect(sceneOf(opened).name).toBe('rec');
  expect(sceneOf(opened).steps.T.step).toBe(0.5);
  opened.close();
}

describe('the continuations of an OIR file', () => {
  it.each([
    ['without an extension', { 'rec.oir': MAIN, rec_00001: PART1, rec_00002: PART2 }],
    ['with one', { 'rec.oir': MAIN, 'rec_00001.oir': PART1, 'rec_00002.OIR': PART2 }],
  ])('are found %s', async (_, files) => expectSeries(await openFiles(folder, files)));

  it.each(['rec_00001', 'rec_00002.oir'])('lead to their main file: %s', async (name) => {
    const files = { 'rec.oir': MAIN, rec_00001: PART1, 'rec_00002.oir': PART2 };
    await expectSeries(await openFiles(folder, files, name));
  });

  it('are named when they are missing, and the planes of the others are read', async () => {
    const opened = await openFiles(folder, { 'rec.oir': MAIN, rec_00002: PART2 });
    expect(sceneOf(opened).sizes.T).toBe(10);
    expect(sceneOf(opened).warnings[0]).toBe('Missing from the folder: rec_00001; its planes cannot be read.');
    expect(sceneOf(opened).warnings[1]).toMatch(/^4 of 10 frames are missing or incomplete/);
    expectSamePlane(await servedPlane(opened, { t: 9 }), frame(9));
    await expect(servedPlane(opened, { t: 5 })).rejects.toMatchObject({
      code: 'companion_missing',
      message:
        'rec.oir: "rec_00001", which contains the plane of channel 1, time 6, is missing from ' +
        `${dirname(opened.path)}. Copy it there.`,
    });
    opened.close();
  });

  it('are named by the first and the last when several in a row are missing', async () => {
    const opened = await openFiles(folder, { 'rec.oir': MAIN, rec_00001: PART1, rec_00901: PART2 });
    expect(sceneOf(opened).warnings[0]).toBe(
      'Missing from the folder: rec_00002 … rec_00900; its planes cannot be read.',
    );
    opened.close();
  });

  it('are noticed by the plan alone when the last ones are missing', async () => {
    const opened = await openFiles(folder, { 'rec.oir': MAIN, rec_00001: PART1 });
    expect(sceneOf(opened).sizes.T).toBe(8);
    expect(sceneOf(opened).warnings).toEqual(['Only 8 of 10 planned time points were recorded.']);
    opened.close();
  });

  it('open by themselves when their main file is missing', async () => {
    const opened = await openFiles(folder, { 'rec_00001.oir': PART1, 'rec_00002.oir': PART2 });
    expect(sceneOf(opened).sizes.T).toBe(6);
    expect(sceneOf(opened).warnings[0]).toMatch(/^rec\.oir, the first file of this recording, is missing/);
    expectSamePlane(await servedPlane(opened, { t: 0 }), frame(4));
    opened.close();
  });

  it('are ignored when they belong to another recording', async () => {
    const other = { ...SERIES, channels: [{ id: 'another', name: 'CH1' }] };
    const [, part] = writeOirSet(other, [4, 6]) as [Uint8Array, Uint8Array];
    const opened = await openFiles(folder, { 'rec.oir': writeOir(timeSeries(4, 16)), rec_00001: part });
    expect(sceneOf(opened).sizes.T).toBe(4);
    expect(sceneOf(opened).warnings).toEqual(['rec_00001 was ignored: its channels do not match this recording.']);
    opened.close();
  });

  it('are distinguished from the numbered files of a user', async () => {
    const files = { 'cell_00001.oir': writeOir(stillImage(8)), 'cell_00002.oir': writeOir(stillImage(12)) };
    const opened = await openFiles(folder, files, 'cell_00002.oir');
    expect(sceneOf(opened).sizes.Y).toBe(12);
    expect(sceneOf(opened).warnings).toEqual([]);
    opened.close();
  });

  it('follow the earlier files, with a warning, when they repeat frame numbers', async () => {
    const again = buildOir({ ...SERIES, sample: (_, { t }, y, x) => t + 2000 + y + x }, framesOf(timeSeries(3)), false);
    const opened = await openFiles(folder, { 'rec.oir': writeOir(timeSeries(4, 16)), rec_00001: again.finish() });
    expect(sceneOf(opened).sizes.T).toBe(7);
    expect(sceneOf(opened).warnings[0]).toBe(
      'rec_00001 repeats frame numbers of an earlier file; its frames are assumed to follow frame 4.',
    );
    expectSamePlane(
      await servedPlane(opened, { t: 6 }),
      expectedPlane(16, 16, (y, x) => 2002 + y + x),
    );
    opened.close();
  });

  it('are shown in the order of plane numbers, with a warning, when the files are in another order', async () => {
    const opened = await openFiles(folder, { 'rec.oir': MAIN, rec_00001: PART2, rec_00002: PART1 });
    expect(sceneOf(opened).warnings[0]).toMatch(
      /^rec_00002 contains time 5, which is before time 10 of an earlier file/,
    );
    for (let t = 0; t < 10; t++) expectSamePlane(await servedPlane(opened, { t }), frame(t));
    opened.close();
  });

  it('are named when they are corrupted', async () => {
    const opened = await openFiles(folder, { 'rec.oir': MAIN, rec_00001: new Uint8Array(5000), rec_00002: PART2 });
    expect(sceneOf(opened).warnings[0]).toMatch(/^rec_00001 is not an OIR file; .* Its planes are missing\.$/);
    expectSamePlane(await servedPlane(opened, { t: 9 }), frame(9));
    opened.close();
  });

  it.each([
    ['when their numbers continue', false],
    ['when their numbers start again', true],
  ])('add lines to a line scan %s', async (_, restarts) => {
    const spec = lineScan(500, 24, 64);
    const rows = restarts ? [300, 200] : [500, 0];
    const first = { ...spec, rows: rows[0]! };
    const second: OirSpec = {
      ...spec,
      rows: rows[1]!,
      sample: (c, _, y, x) => kymographSample(c, y + 300, x),
    };
    const files = restarts
      ? { 'rec.oir': writeOir(first), rec_00001: buildOir(second, framesOf(spec), false).finish() }
      : { 'rec.oir': splitBands(spec, 0, 12), rec_00001: splitBands(spec, 12, 100) };
    const opened = await openFiles(folder, files);
    expect(sceneOf(opened).sizes.Y).toBe(500);
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(500, 24, (y, x) => kymographSample(0, y, x)),
    );
    opened.close();
  });
});

/** Writes the line scan with only its bands from `first` up to `last`. */
function splitBands(spec: OirSpec, first: number, last: number): Uint8Array {
  const builder = buildOir(spec, framesOf(spec), first === 0);
  const kept = buildOir({ ...spec, rows: 1 }, [], first === 0);
  const bytes = builder.finish();
  const view = new DataView(bytes.buffer);
  for (const [i, offset] of builder.offsets.entries()) {
    const kind = view.getUint32(offset + 4, true);
    const payload = bytes.subarray(offset + 8, offset + 8 + view.getUint32(offset, true));
    const tag = kind === 4 ? view.getUint32(builder.offsets[i - 1]!, true) : payload.length;
    const name = new TextDecoder().decode(
      kind === 4
        ? bytes.subarray(builder.offsets[i - 1]! + 20, builder.offsets[i - 1]! + 8 + tag)
        : payload.subarray(12),
    );
    if (kind === 1) kept.block(1, payload);
    if ((kind !== 3 && kind !== 4) || !name.startsWith('t001')) continue;
    const number = Number(name.slice(name.lastIndexOf('_') + 1));
    if (number >= first && number < last) kept.block(kind, payload);
  }
  return kept.finish();
}

describe('an archive of OIR files', () => {
  const kymograph = writeOir(lineScan(600, 24, 64));
  const stack = writeOir(timeDepthSeries(8));

  it.each([
    ['stored', false],
    ['deflated', true],
  ])('has its recordings as scenes, %s', async (_, deflate) => {
    const poir = writeZip([
      { name: 'cell_10.oir', bytes: stack, deflate },
      { name: 'cell_2.oir', bytes: kymograph, deflate },
      { name: '__MACOSX/._cell_2.oir', bytes: new Uint8Array(4), deflate },
      { name: 'rec.oir', bytes: MAIN, deflate },
      { name: 'rec_00001', bytes: PART1, deflate },
      { name: 'rec_00002', bytes: PART2, deflate },
    ]);
    const opened = await openFiles(folder, { 'set.poir': poir });
    const { info } = opened.acquisition;
    expect(info.format).toBe('poir');
    expect(info.scenes.map(({ name, sizes }) => [name, sizes])).toEqual([
      ['cell_2', { T: 1, Z: 1, Y: 600, X: 24 }],
      ['cell_10', { T: 5, Z: 8, Y: 8, X: 8 }],
      ['rec', { T: 10, Z: 1, Y: 16, X: 16 }],
    ]);
    expect(info.scenes.flatMap(({ warnings }) => warnings)).toEqual([]);
    expectSamePlane(await servedPlane(opened, { scene: 2, t: 9 }), frame(9));
    expectSamePlane(
      await servedPlane(opened, { scene: 0 }),
      expectedPlane(600, 24, (y, x) => kymographSample(0, y, x)),
    );
    expect((await servedReference(opened, 0, 0)).length).toBe(64 * 64);
    opened.close();
  });

  it.each([
    ['stored', false],
    ['deflated', true],
  ])('may contain archives, %s', async (_, deflate) => {
    const inner = writeZip([{ name: 'a/one.oir', bytes: kymograph, deflate }]);
    const mpoir = writeZip([
      { name: 'first.poir', bytes: inner, deflate },
      { name: 'second.poir', bytes: writeZip([{ name: 'two.oir', bytes: stack }]), deflate },
    ]);
    const opened = await openFiles(folder, { 'set.mpoir': mpoir });
    expect(opened.acquisition.info.format).toBe('mpoir');
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['first/a/one', 'second/two']);
    expectSamePlane(
      await servedPlane(opened, { scene: 1, channel: 1, t: 4, z: 7 }),
      expectedPlane(8, 8, (y, x) => 2000 + 1200 + 140 + y + x),
    );
    opened.close();
  });

  it('shows the other recordings when one is corrupted', async () => {
    const poir = writeZip([
      { name: 'bad.oir', bytes: kymograph.slice(0, 200) },
      { name: 'good.oir', bytes: kymograph },
    ]);
    const opened = await openFiles(folder, { 'set.poir': poir });
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['good']);
    expect(sceneOf(opened).warnings[0]).toMatch(/bad\.oir.* This recording of the archive was skipped\.$/);
    opened.close();
  });

  it.each([
    ['without recordings', writeZip([{ name: 'readme.txt', bytes: new Uint8Array(3) }]), 'unsupported_format'],
    ['when it is truncated', writeZip([{ name: 'a.oir', bytes: kymograph }]).slice(0, 5000), 'decode_failed'],
    ['when it is nested too deep', nested(4), 'decode_failed'],
  ])('is refused %s', async (_, bytes, code) => {
    await expect(openFiles(folder, { 'a.poir': bytes })).rejects.toMatchObject({ code });
  });

  function nested(depth: number): Uint8Array {
    let bytes = kymograph;
    let name = 'a.oir';
    for (let i = 0; i < depth; i++) {
      bytes = writeZip([{ name, bytes }]);
      name = 'a.poir';
    }
    return bytes;
  }
});

describe('the OIR reader', () => {
  it('refuses files without pixels, of another format, or truncated in the header', async () => {
    const map = buildOir(stillImage(8), []);
    await expect(openFiles(folder, { 'map.oir': map.finish() })).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/contains no image data/),
    });
    await expect(openFiles(folder, { 'a.oir': new Uint8Array(500).fill(7) })).rejects.toMatchObject({
      code: 'unsupported_format',
    });
    await expect(openFiles(folder, { 'a.oir': MAIN.slice(0, 60) })).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it('closes all files', async () => {
    const opened = await openFiles(folder, { 'rec.oir': MAIN, rec_00001: PART1 });
    expect(opened.fingerprints().map(({ path }) => path.slice(dirname(opened.path).length + 1))).toEqual([
      'rec.oir',
      'rec_00001',
    ]);
    opened.close();
    rmSync(join(dirname(opened.path), 'rec_00001'));
    await expect(servedPlane(opened, { t: 0 })).rejects.toMatchObject({ code: 'decode_failed' });
  });
});
