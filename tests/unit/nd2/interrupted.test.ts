import { describe, expect, it } from 'vitest';
import { countingFrames, everything, lineScan, openNd2, planeOf, timeSeries } from '../../support/nd2.js';
import { writeNd2 } from '../../writers/nd2.js';

const failed = (message: RegExp) =>
  expect.objectContaining({ code: 'decode_failed', message: expect.stringMatching(message) });

const NO_MAP =
  'The chunk map at the end of the file is missing: the recording or a copy of it was interrupted. The chunks were found one by one.';

describe('recordings that were interrupted', () => {
  it('without a chunk map: every chunk is found', async () => {
    const opened = openNd2(writeNd2(timeSeries({ noMap: true })));
    const [scene] = opened.info.scenes;
    expect(scene?.sizes.T).toBe(3);
    expect(scene?.warnings).toEqual([NO_MAP]);
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(2000);
  });

  it('with the last 40 bytes cut off, the map itself still there', async () => {
    const bytes = writeNd2(timeSeries());
    const opened = openNd2(bytes.slice(0, bytes.length - 40));
    // The end of the map bears the same signature and place.
    expect(opened.info.scenes[0]?.warnings).toEqual([]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(1000);
  });

  it('with something appended to the file', async () => {
    const opened = openNd2(Buffer.concat([writeNd2(timeSeries()), Buffer.alloc(5000, 7)]));
    expect(opened.info.scenes[0]?.warnings).toEqual([]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(1000);
  });

  it('in the third of three frames: two are shown', async () => {
    const bytes = writeNd2(timeSeries({ noMap: true, attributesFirst: true }));
    const third = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|2!') - 16;
    const opened = openNd2(bytes.slice(0, third + 4096 + 70));
    const [scene] = opened.info.scenes;
    expect(scene?.sizes.T).toBe(2);
    expect(scene?.warnings).toEqual([
      NO_MAP,
      'The file ends inside frame 2: 70 of 80 bytes are there; it is left out.',
      'Recorded 2 of 3 planned time points.',
      'The file shows no local time that can be read; date and time are those of the first frame in UTC.',
    ]);
    expect((await planeOf(opened, { t: 1, channel: 1 })).at(-1)).toBe(1039);
    // The frames' own times stand in for the table of times that was never written.
    expect(scene?.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'file' });
  });

  it('in the lines of a scan: the whole lines are shown', async () => {
    const bytes = writeNd2(lineScan({ noMap: true, attributesFirst: true }));
    const frame = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|0!') - 16;
    const opened = openNd2(bytes.slice(0, frame + 4096 + 2 * 12 + 10 + 1));
    const [scene] = opened.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 5 });
    expect(scene?.warnings).toContain('The header announces 4 lines, the file holds 3; these are shown.');
    expect(await planeOf(opened, {})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('before the attributes were written', () => {
    const bytes = writeNd2(timeSeries({ noMap: true }));
    const end = Buffer.from(bytes.buffer).indexOf('ImageTextInfo') - 16;
    expect(() => openNd2(bytes.slice(0, end))).toThrow(
      failed(/says nowhere how large its frames are \(3 frames are in it\)/),
    );
  });

  it('before the first frame', () => {
    expect(() => openNd2(writeNd2(timeSeries({ frames: [] })))).toThrow(failed(/holds no frames/));
  });

  it('amid positions and depths: planes that are missing are named, all others shown', async () => {
    const frames = everything().frames.slice(0, 9);
    const opened = openNd2(writeNd2(everything({ frames, sequenceCount: 12, times: [] })));
    expect(opened.info.scenes.map(({ sizes }) => [sizes.T, sizes.Z])).toEqual([
      [2, 2],
      [2, 2],
      [1, 2],
    ]);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The header says 12 frames; the file has 9.',
      'Frames not in the file: 1 of 10; their planes cannot be read.',
    ]);
    expect((await planeOf(opened, { scene: 1, t: 1, z: 0 }))[0]).toBe(800);
    await expect(planeOf(opened, { scene: 1, t: 1, z: 1 })).rejects.toEqual(
      failed(/position 2, time 2, depth 2 \(frame 9\) is not in the file/),
    );
  });

  it('a frame amid others is missing: it is not shown as black', async () => {
    const frames = countingFrames(3, 5, 2).filter(({ number }) => number !== 1);
    const opened = openNd2(writeNd2(timeSeries({ frames, sequenceCount: 3 })));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    await expect(planeOf(opened, { t: 1 })).rejects.toEqual(failed(/time 2, depth 1 \(frame 1\) is not in the file/));
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(2000);
  });
});

describe('files whose parts disagree', () => {
  it('a map that leaves out frames: they are found', async () => {
    const opened = openNd2(writeNd2(timeSeries({ unmapped: [1] })));
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The chunk map does not list 1 frame of the file. All are shown.',
    ]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(1000);
  });

  it('a map that points elsewhere: the chunks are found one by one', async () => {
    const bytes = writeNd2(timeSeries());
    // A page put in behind the first chunk moves all others.
    const moved = Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(4096), bytes.subarray(4096)]);
    moved.writeBigUInt64LE(moved.readBigUInt64LE(moved.length - 8) + 4096n, moved.length - 8);
    const opened = openNd2(moved);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The chunk map at the end of the file does not fit the file. The chunks were found one by one.',
      'Bytes 112 to 8192 of the file belong to no chunk; the file is damaged.',
    ]);
    expect((await planeOf(opened, { t: 2, channel: 1 }))[0]).toBe(2001);
  });

  it('more frames than the experiment describes: all are shown', async () => {
    const opened = openNd2(
      writeNd2(timeSeries({ frames: countingFrames(5, 5, 2), times: [0, 500, 1000, 1500, 2000] })),
    );
    expect(opened.info.scenes[0]?.sizes.T).toBe(5);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The experiment describes 3 frames; the file has 5. The others are shown as further time points.',
    ]);
    expect((await planeOf(opened, { t: 4 }))[0]).toBe(4000);
  });

  it('frames without any experiment', () => {
    const { experiment: _, ...spec } = timeSeries();
    const opened = openNd2(writeNd2(spec));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    expect(opened.info.scenes[0]?.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'derived' });
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The file has 3 frames and does not describe them. All are shown as time points: positions, times and Z sections are unknown.',
    ]);
  });

  it('a compressed frame that is cut short', async () => {
    const bytes = writeNd2(timeSeries({ compression: 0 }));
    const at = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|1!') - 16;
    const view = new DataView(bytes.buffer);
    view.setBigUint64(at + 8, 30n, true);
    const opened = openNd2(bytes);
    await expect(planeOf(opened, { t: 1 })).rejects.toEqual(failed(/time 2, .* (is incomplete: \d+ of 80|damaged)/));
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(2000);
  });

  it('a damaged description costs the names, not the pixels', async () => {
    const bytes = writeNd2(timeSeries());
    const at = Buffer.from(bytes.buffer).indexOf(Buffer.from('sPicturePlanes\0', 'utf16le'));
    bytes[at + 30] = 255;
    bytes[at + 33] = 255;
    const opened = openNd2(bytes);
    const [scene] = opened.info.scenes;
    expect(scene?.channels.map(({ name }) => name)).toEqual(['CH1', 'CH2']);
    expect(scene?.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene?.warnings.some((text) => /what it describes is not shown/.test(text))).toBe(true);
    expect((await planeOf(opened, {}))[1]).toBe(2);
  });

  it('channels that are described differently from the frames', () => {
    const opened = openNd2(writeNd2(timeSeries({ components: 3, frames: countingFrames(3, 5, 3) })));
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['CH1', 'CH2', 'CH3']);
    expect(opened.info.scenes[0]?.warnings).toEqual(['The described channels have 2 components; the frames have 3.']);
  });

  it('frames with numbers beyond all reason are left out by name', async () => {
    const frames = [...countingFrames(3, 5, 2), { number: 6_000_000, time: 0, value: () => 1 }];
    const opened = openNd2(writeNd2(timeSeries({ frames, sequenceCount: 3 })));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    expect(opened.info.scenes[0]?.warnings).toEqual(['Frames with numbers from 6000000 on are left out.']);
  });

  it('very many scenes share one list of channels', () => {
    const { scenes } = openNd2(writeNd2(everything())).info;
    expect(scenes[2]?.channels).toBe(scenes[0]?.channels);
  });
});
