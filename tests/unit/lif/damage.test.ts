import { describe, expect, it } from 'vitest';
import { lineVector, openBytes, overview, rowsOf, seriesVector } from '../../support/lif.js';
import { blockHead, lifXml, textBlock, writeLif, writeLof } from '../../writers/lif.js';

/** Lines of two channels in turn: X 4, C, T 5; value 100·c + 10·t + x. */
const CHANNELS = [{ bytesInc: 0 }, { bytesInc: 4 }];
const inTurn = (lines = 5) => ({
  name: 'Lines',
  channels: CHANNELS,
  dimensions: [
    { id: 1, count: 4, length: '6.0e-7', bytesInc: 1 },
    { id: 4, count: 5, length: '8.0e-3', unit: 's', bytesInc: 8 },
  ],
  data: Uint8Array.from({ length: 8 * lines }, (_, i) => 100 * ((i >> 2) & 1) + 10 * (i >> 3) + (i & 3)),
  memorySize: 40,
});

describe('recordings that stopped', () => {
  it('show the lines that all channels have, with the numbers and the true period', async () => {
    const acquisition = await openBytes(writeLif({ elements: [inTurn(3)] }));
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes.Y).toBe(3);
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings).toEqual([
      'The recording was stopped or cut off: 24 of 40 bytes are in the file; 3 of 5 lines are served.',
    ]);
    expect(await rowsOf(acquisition, 0, 1)).toEqual([
      [100, 101, 102, 103],
      [110, 111, 112, 113],
      [120, 121, 122, 123],
    ]);
  });

  it('lose a line that is not there whole', async () => {
    const whole = writeLif({ elements: [inTurn()] });
    const acquisition = await openBytes(whole.slice(0, -1));
    expect(acquisition.info.scenes[0]?.sizes.Y).toBe(4);
    expect(acquisition.info.scenes[0]?.warnings[0]).toMatch(/39 of 40 bytes are in the file; 4 of 5 lines/);
  });

  it('show the time points that are there, and the rows of a single frame', async () => {
    const series = seriesVector({ data: seriesVector().data.slice(0, 239), memorySize: 240 });
    const opened = await openBytes(writeLif({ elements: [series] }));
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 3, Y: 4, X: 5 });
    expect(opened.info.scenes[0]?.warnings[0]).toMatch(/239 of 240 bytes .* 1 of 2 time points are served/);
    expect(await rowsOf(opened, 0, 1, { z: 2 })).toHaveLength(4);
    const frame = await openBytes(writeLif({ elements: [overview()] }).slice(0, -30));
    expect(frame.info.scenes[0]?.sizes.Y).toBe(3);
    expect(frame.info.scenes[0]?.warnings[0]).toMatch(/33 of 63 bytes .* 3 of 7 rows are served/);
  });

  it('show the rows of the first frame when there is no more', async () => {
    const series = seriesVector({ data: seriesVector().data.slice(0, 30), memorySize: 240 });
    const opened = await openBytes(writeLif({ elements: [series] }));
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 5 });
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The recording was stopped or cut off: 30 of 240 bytes are in the file; ' +
        '1 of 2 time points, 1 of 3 depths, 2 of 4 rows are served.',
    ]);
    expect(await rowsOf(opened, 0, 1)).toEqual([
      [60, 61, 62, 63, 64],
      [62, 63, 64, 65, 66],
    ]);
  });

  it('are left out when not one plane is there', async () => {
    const cut = lineVector({ name: 'Cut', data: lineVector().data.slice(0, 23) });
    const { info } = await openBytes(writeLif({ elements: [cut, lineVector()] }));
    expect(info.scenes.map(({ name, warnings }) => [name, warnings])).toEqual([
      ['Series001', ['The image Cut is left out: 23 of 48 bytes are in the file, which is not one plane.']],
    ]);
  });

  it('keep the channels that are whole and fail for the others when a channel is missing', async () => {
    // Both channels one behind the other: the second one has no byte.
    const acquisition = await openBytes(writeLif({ elements: [lineVector()] }).slice(0, -24));
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes.Y).toBe(3);
    expect(scene?.warnings).toEqual([
      'The recording was stopped or cut off: 24 of 48 bytes are in the file; planes without all of theirs cannot be read.',
    ]);
    expect((await rowsOf(acquisition, 0, 0))[2]).toEqual([8, 9, 10, 11]);
    await expect(rowsOf(acquisition, 0, 1)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('0 of its 24 bytes are in the file'),
    });
  });

  it('name images whose block is not in the file', async () => {
    const file = writeLif({ elements: [lineVector(), overview()] });
    const scenes = (await openBytes(file.slice(0, -(63 + 42)))).info.scenes;
    expect(scenes.map(({ name }) => name)).toEqual(['Series001']);
    expect(scenes[0]?.warnings).toEqual([
      'The image Overview is left out: the file does not hold its data ("MemBlock_2").',
    ]);
  });

  it('end where the blocks end', async () => {
    const file = Buffer.concat([writeLif({ elements: [lineVector()] }), new Uint8Array(500)]);
    const acquisition = await openBytes(new Uint8Array(file));
    expect(acquisition.info.scenes[0]?.warnings).toEqual([]);
    expect((await rowsOf(acquisition, 0, 1))[2]).toEqual([108, 109, 110, 111]);
  });
});

describe('damaged files', () => {
  it('without all of their XML are refused with the numbers', async () => {
    const file = writeLif({ elements: [lineVector()] });
    await expect(openBytes(file.slice(0, 500))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(/description needs \d+ bytes from offset 13, but the file ends at 500/),
    });
  });

  it('of which the XML breaks off show the images before', async () => {
    const xml = lifXml({ elements: [lineVector(), overview()] });
    const data = lineVector().data;
    const cut = xml.slice(0, xml.indexOf('Name="Overview"') + 30);
    const file = Buffer.concat([
      textBlock(cut),
      blockHead('MemBlock_0', 0),
      blockHead('MemBlock_1', data.length),
      data,
    ]);
    const { info } = await openBytes(new Uint8Array(file));
    expect(info.scenes.map(({ name }) => name)).toEqual(['Series001']);
    expect(info.scenes[0]?.warnings[0]).toMatch(/^The description of the images is damaged: /);
  });

  it('of the LOF kind without XML are refused by name', async () => {
    const file = writeLof(lineVector(), '');
    await expect(openBytes(file, 'a.lof')).rejects.toMatchObject({ code: 'decode_failed', message: /no description/ });
    await expect(openBytes(file.slice(0, 70), 'a.lof')).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it('LIFEXT is refused by name', async () => {
    const file = textBlock('<LMSDataContainerEnhancedHeader><ChildrenOf/></LMSDataContainerEnhancedHeader>');
    await expect(openBytes(file, 'a.lif')).rejects.toMatchObject({ code: 'unsupported_format', message: /LIFEXT/ });
  });
});
