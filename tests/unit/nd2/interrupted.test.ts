import { describe, expect, it } from 'vitest';
import { openFrames } from '../../../packages/readers/src/formats/nd2/frames.js';
import { openIndex } from '../../../packages/readers/src/formats/nd2/index-map.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { countingFrames, everything, lineScan, openNd2, planeOf, timeSeries } from '../../support/nd2.js';
import { writeNd2 } from '../../writers/nd2.js';

const failed = (message: RegExp) =>
  expect.objectContaining({ code: 'decode_failed', message: expect.stringMatching(message) });

const NO_MAP =
  'The chunk map at the end of the file is missing, probably because the recording or a copy of it was interrupted. ' +
  'The frames were found by searching the whole file.';

describe('an interrupted ND2 recording', () => {
  it('without a chunk map has every chunk found', async () => {
    const opened = openNd2(writeNd2(timeSeries({ noMap: true })));
    const [scene] = opened.info.scenes;
    expect(scene?.sizes.T).toBe(3);
    expect(scene?.warnings).toEqual([NO_MAP]);
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(2000);
  });

  it('without its last 40 bytes is opened by the map itself', async () => {
    const bytes = writeNd2(timeSeries());
    const opened = openNd2(bytes.slice(0, bytes.length - 40));
    // The end of the map has the same signature and offset.
    expect(opened.info.scenes[0]?.warnings).toEqual([]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(1000);
  });

  it('with bytes appended to the file is opened by the map', async () => {
    const opened = openNd2(Buffer.concat([writeNd2(timeSeries()), Buffer.alloc(5000, 7)]));
    expect(opened.info.scenes[0]?.warnings).toEqual([]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(1000);
  });

  it('truncated in the third of three frames shows two', async () => {
    const bytes = writeNd2(timeSeries({ noMap: true, attributesFirst: true }));
    const third = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|2!') - 16;
    const opened = openNd2(bytes.slice(0, third + 4096 + 70));
    const [scene] = opened.info.scenes;
    expect(scene?.sizes.T).toBe(2);
    expect(scene?.warnings).toEqual([
      NO_MAP,
      'The file is truncated inside frame 2, of which 70 of 80 bytes are available. The frame was skipped.',
      'Only 2 of 3 planned time points were recorded.',
      'The file does not contain a readable local time. Date and time are those of the first frame, in UTC.',
    ]);
    expect((await planeOf(opened, { t: 1, channel: 1 })).at(-1)).toBe(1039);
    // The time stamps of the frames replace the table of times, which was never written.
    expect(scene?.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'file' });
  });

  it('truncated in its last frame keeps the chunk index unchanged', () => {
    const bytes = writeNd2(timeSeries({ noMap: true, attributesFirst: true }));
    const third = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|2!') - 16;
    const source = new MemorySource('test.nd2', bytes.slice(0, third + 4096 + 70));
    const index = openIndex(source);
    const attributes = { width: 5, height: 4, widthBytes: 20, components: 2, bits: 16, compression: 2, pixelType: 1 };
    const frames = openFrames(source, index, { ...attributes, sequenceCount: 3 }, undefined);
    expect([...frames.offsets.keys()]).toEqual([0, 1]);
    expect([...index.frames.keys()]).toEqual([0, 1, 2]);
  });

  it('truncated in the lines of a scan shows the complete lines', async () => {
    const bytes = writeNd2(lineScan({ noMap: true, attributesFirst: true }));
    const frame = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|0!') - 16;
    const opened = openNd2(bytes.slice(0, frame + 4096 + 2 * 12 + 10 + 1));
    const [scene] = opened.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 5 });
    expect(scene?.warnings).toContain('The header says 4 lines, but the frames have 3. Showing 3.');
    expect(await planeOf(opened, {})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('that ends before the attributes is refused', () => {
    const bytes = writeNd2(timeSeries({ noMap: true }));
    const end = Buffer.from(bytes.buffer).indexOf('ImageTextInfo') - 16;
    expect(() => openNd2(bytes.slice(0, end))).toThrow(
      failed(/the image attributes, .* are missing; the file has 3 frames/),
    );
  });

  it('that ends before the first frame is refused', () => {
    expect(() => openNd2(writeNd2(timeSeries({ frames: [] })))).toThrow(failed(/does not contain any frames/));
  });

  it('names missing planes of positions and depths, and shows all others', async () => {
    const frames = everything().frames.slice(0, 9);
    const opened = openNd2(writeNd2(everything({ frames, sequenceCount: 12, times: [] })));
    expect(opened.info.scenes.map(({ sizes }) => [sizes.T, sizes.Z])).toEqual([
      [2, 2],
      [2, 2],
      [1, 2],
    ]);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The header says 12 frames, but the file has 9.',
      '1 of 10 frames is missing from the file. Its plane cannot be read.',
    ]);
    expect((await planeOf(opened, { scene: 1, t: 1, z: 0 }))[0]).toBe(800);
    await expect(planeOf(opened, { scene: 1, t: 1, z: 1 })).rejects.toEqual(
      failed(/position 2, time 2, depth 2 \(frame 9\) is missing from the file/),
    );
  });

  it('does not show a missing frame as black', async () => {
    const frames = countingFrames(3, 5, 2).filter(({ number }) => number !== 1);
    const opened = openNd2(writeNd2(timeSeries({ frames, sequenceCount: 3 })));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    await expect(planeOf(opened, { t: 1 })).rejects.toEqual(
      failed(/time 2, depth 1 \(frame 1\) is missing from the file/),
    );
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(2000);
  });
});

describe('an inconsistent ND2 file', () => {
  it('whose map does not list all frames has them found', async () => {
    const opened = openNd2(writeNd2(timeSeries({ unmapped: [1] })));
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The chunk map does not list 1 frame that the file contains. All frames are shown.',
    ]);
    expect((await planeOf(opened, { t: 1 }))[0]).toBe(1000);
  });

  it('whose map has wrong offsets is searched for chunks', async () => {
    const bytes = writeNd2(timeSeries());
    // A page inserted after the first chunk moves all others.
    const moved = Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(4096), bytes.subarray(4096)]);
    moved.writeBigUInt64LE(moved.readBigUInt64LE(moved.length - 8) + 4096n, moved.length - 8);
    const opened = openNd2(moved);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The chunk map at the end of the file does not match the file. The frames were found by searching the whole file.',
      'Bytes 112 to 8,192 do not belong to any chunk; the file is corrupted.',
    ]);
    expect((await planeOf(opened, { t: 2, channel: 1 }))[0]).toBe(2001);
  });

  it('with more frames than the experiment describes shows all of them', async () => {
    const opened = openNd2(
      writeNd2(timeSeries({ frames: countingFrames(5, 5, 2), times: [0, 500, 1000, 1500, 2000] })),
    );
    expect(opened.info.scenes[0]?.sizes.T).toBe(5);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The experiment describes 3 frames, but the file has 5. The others are shown as further time points.',
    ]);
    expect((await planeOf(opened, { t: 4 }))[0]).toBe(4000);
  });

  it('without an experiment shows its frames as time points', () => {
    const { experiment: _, ...spec } = timeSeries();
    const opened = openNd2(writeNd2(spec));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    expect(opened.info.scenes[0]?.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'derived' });
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The file has 3 frames but no description of the experiment. All are shown as time points; positions, times and Z sections are unknown.',
    ]);
  });

  it('refuses only the plane whose compressed frame is truncated', async () => {
    const bytes = writeNd2(timeSeries({ compression: 0 }));
    const at = Buffer.from(bytes.buffer).indexOf('ImageDataSeq|1!') - 16;
    const view = new DataView(bytes.buffer);
    view.setBigUint64(at + 8, 30n, true);
    const opened = openNd2(bytes);
    await expect(planeOf(opened, { t: 1 })).rejects.toEqual(failed(/time 2, .* (is truncated: \d+ of 80|corrupted)/));
    expect((await planeOf(opened, { t: 2 }))[0]).toBe(2000);
  });

  it('with corrupted metadata loses the names and keeps the pixels', async () => {
    const bytes = writeNd2(timeSeries());
    const at = Buffer.from(bytes.buffer).indexOf(Buffer.from('sPicturePlanes\0', 'utf16le'));
    bytes[at + 30] = 255;
    bytes[at + 33] = 255;
    const opened = openNd2(bytes);
    const [scene] = opened.info.scenes;
    expect(scene?.channels.map(({ name }) => name)).toEqual(['CH1', 'CH2']);
    expect(scene?.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene?.warnings.some((text) => /As a result, the names or order of channels/.test(text))).toBe(true);
    expect((await planeOf(opened, {}))[1]).toBe(2);
  });

  it('whose channels do not match the frames names them by number', () => {
    const opened = openNd2(writeNd2(timeSeries({ components: 3, frames: countingFrames(3, 5, 3) })));
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['CH1', 'CH2', 'CH3']);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The described channels have 2 components, but the frames have 3.',
    ]);
  });

  it('skips frames whose numbers are above the limit, with a warning', async () => {
    const frames = [...countingFrames(3, 5, 2), { number: 6_000_000, time: 0, value: () => 1 }];
    const opened = openNd2(writeNd2(timeSeries({ frames, sequenceCount: 3 })));
    expect(opened.info.scenes[0]?.sizes.T).toBe(3);
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'Frames numbered 6,000,000 or higher were skipped; this is the limit.',
    ]);
  });

  it('with many scenes shares one list of channels among them', () => {
    const { scenes } = openNd2(writeNd2(everything())).info;
    expect(scenes[2]?.channels).toBe(scenes[0]?.channels);
  });
});
