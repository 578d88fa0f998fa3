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

describe('a LIF recording that was stopped', () => {
  it('shows the lines that all channels have, with the true line period', async () => {
    const acquisition = await openBytes(writeLif({ elements: [inTurn(3)] }));
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes.Y).toBe(3);
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings).toEqual([
      'The recording was stopped or the file is truncated: 24 of 40 bytes are in the file. Showing 3 of 5 lines.',
    ]);
    expect(await rowsOf(acquisition, 0, 1)).toEqual([
      [100, 101, 102, 103],
      [110, 111, 112, 113],
      [120, 121, 122, 123],
    ]);
  });

  it('does not show an incomplete line', async () => {
    const whole = writeLif({ elements: [inTurn()] });
    const acquisition = await openBytes(whole.slice(0, -1));
    expect(acquisition.info.scenes[0]?.sizes.Y).toBe(4);
    expect(acquisition.info.scenes[0]?.warnings[0]).toMatch(/39 of 40 bytes are in the file\. Showing 4 of 5 lines/);
  });

  it('shows the complete time points, or the complete rows of a single frame', async () => {
    const series = seriesVector({ data: seriesVector().data.slice(0, 239), memorySize: 240 });
    const opened = await openBytes(writeLif({ elements: [series] }));
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 3, Y: 4, X: 5 });
    expect(opened.info.scenes[0]?.warnings[0]).toMatch(/239 of 240 bytes .* Showing 1 of 2 time points/);
    expect(await rowsOf(opened, 0, 1, { z: 2 })).toHaveLength(4);
    const frame = await openBytes(writeLif({ elements: [overview()] }).slice(0, -30));
    expect(frame.info.scenes[0]?.sizes.Y).toBe(3);
    expect(frame.info.scenes[0]?.warnings[0]).toMatch(/33 of 63 bytes .* Showing 3 of 7 rows/);
  });

  it('shows the rows of the first frame when no frame is complete', async () => {
    const series = seriesVector({ data: seriesVector().data.slice(0, 30), memorySize: 240 });
    const opened = await openBytes(writeLif({ elements: [series] }));
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 5 });
    expect(opened.info.scenes[0]?.warnings).toEqual([
      'The recording was stopped or the file is truncated: 30 of 240 bytes are in the file. ' +
        'Showing 1 of 2 time points, 1 of 3 depths, 2 of 4 rows.',
    ]);
    expect(await rowsOf(opened, 0, 1)).toEqual([
      [60, 61, 62, 63, 64],
      [62, 63, 64, 65, 66],
    ]);
  });

  it('is skipped when not even one plane is complete', async () => {
    const cut = lineVector({ name: 'Cut', data: lineVector().data.slice(0, 23) });
    const { info } = await openBytes(writeLif({ elements: [cut, lineVector()] }));
    expect(info.scenes.map(({ name, warnings }) => [name, warnings])).toEqual([
      ['Series001', ['The image Cut was skipped: only 23 of 48 bytes are in the file, which is less than one plane.']],
    ]);
  });

  it('shows the complete channels and refuses those that are missing', async () => {
    // The channels are stored one after the other, so the second one has no bytes.
    const acquisition = await openBytes(writeLif({ elements: [lineVector()] }).slice(0, -24));
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes.Y).toBe(3);
    expect(scene?.warnings).toEqual([
      'The recording was stopped or the file is truncated: 24 of 48 bytes are in the file. Incomplete planes cannot be read.',
    ]);
    expect((await rowsOf(acquisition, 0, 0))[2]).toEqual([8, 9, 10, 11]);
    await expect(rowsOf(acquisition, 0, 1)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('is truncated: 0 of 24 bytes are in the file'),
    });
  });

  it('names images whose memory block is missing', async () => {
    const file = writeLif({ elements: [lineVector(), overview()] });
    const scenes = (await openBytes(file.slice(0, -(63 + 42)))).info.scenes;
    expect(scenes.map(({ name }) => name)).toEqual(['Series001']);
    expect(scenes[0]?.warnings).toEqual([
      'The image Overview was skipped: its memory block "MemBlock_2" is missing from the file.',
    ]);
  });

  it('ignores bytes after the last memory block', async () => {
    const file = Buffer.concat([writeLif({ elements: [lineVector()] }), new Uint8Array(500)]);
    const acquisition = await openBytes(new Uint8Array(file));
    expect(acquisition.info.scenes[0]?.warnings).toEqual([]);
    expect((await rowsOf(acquisition, 0, 1))[2]).toEqual([108, 109, 110, 111]);
  });
});

describe('a corrupted LIF file', () => {
  it('with truncated XML is refused with the required number of bytes', async () => {
    const file = writeLif({ elements: [lineVector()] });
    await expect(openBytes(file.slice(0, 500))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(
        /the file is truncated at byte 500; the XML needs [\d,]+ bytes from byte 13\. Copy the file again\./,
      ),
    });
  });

  it('whose XML ends early shows the images before the end', async () => {
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
    expect(info.scenes[0]?.warnings[0]).toMatch(/^The XML that describes the images is corrupted \(/);
  });

  it('of the LOF type without XML is refused', async () => {
    const file = writeLof(lineVector(), '');
    await expect(openBytes(file, 'a.lof')).rejects.toMatchObject({
      code: 'decode_failed',
      message: /the description of the image is missing/,
    });
    await expect(openBytes(file.slice(0, 70), 'a.lof')).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it('that is a LIFEXT sidecar is refused', async () => {
    const file = textBlock('<LMSDataContainerEnhancedHeader><ChildrenOf/></LMSDataContainerEnhancedHeader>');
    await expect(openBytes(file, 'a.lif')).rejects.toMatchObject({ code: 'unsupported_format', message: /LIFEXT/ });
  });
});
