import { describe, expect, it } from 'vitest';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import {
  buildOir,
  documentItems,
  frameName,
  framePropertiesXml,
  framesOf,
  OirBuilder,
  type OirSpec,
  planeBytes,
  writeOir,
} from '../../writers/oir.js';
import { kymographSample, lineScan, timeDepthSeries, timeSeries } from '../../writers/oir-kinds.js';

const folder = tempFolder();
const FIRST = { t: 0, z: 0, lambda: 0 };

function sceneOf(opened: OpenedAcquisition) {
  const [scene] = opened.acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
}

/** Offsets where each block ends. */
function blockEnds(spec: OirSpec): number[] {
  const { offsets } = buildOir(spec);
  return [...offsets.slice(1), buildOir(spec).finish().length];
}

describe('an OIR series that ends at any block', () => {
  const spec = { ...timeDepthSeries(8), t: 3, z: 2, bandBytes: 50 };
  const whole = writeOir(spec);

  it('shows the complete frames, and every sample of them is true', async () => {
    const seen = new Set<number>();
    for (const end of blockEnds(spec)) {
      let opened: OpenedAcquisition;
      try {
        opened = await openFiles(folder, { 'a.oir': whole.slice(0, end) });
      } catch (error) {
        // Before the first complete line of both channels there is nothing to show.
        expect(error).toBeInstanceOf(AcqError);
        expect((error as AcqError).code).toBe('decode_failed');
        continue;
      }
      const { sizes, warnings, channels } = sceneOf(opened);
      const complete = end < whole.length || warnings.length > 0 ? warnings.join() : 'whole';
      if (end < whole.length) expect(complete).toMatch(/the file is truncated: it has [\d,]+ of [\d,]+ bytes/);
      seen.add(sizes.T);
      for (let t = 0; t < sizes.T; t++) await expectTrue(opened, t, sizes.Y, channels.length);
      opened.close();
    }
    expect([...seen].sort()).toEqual([1, 2, 3]);
  });

  async function expectTrue(opened: OpenedAcquisition, t: number, rows: number, channels: number): Promise<void> {
    const { Z } = sceneOf(opened).sizes;
    for (let z = 0; z < Z; z++) {
      for (let channel = 0; channel < channels; channel++) {
        const expected = expectedPlane(rows, 8, (y, x) => channel * 2000 + t * 300 + z * 20 + y + x);
        try {
          expectSamePlane(await servedPlane(opened, { channel, t, z }), expected);
        } catch (error) {
          if (!(error instanceof AcqError)) throw error;
          expect(error.code).toBe('decode_failed');
          expect(sceneOf(opened).warnings.join()).toMatch(/frames are missing or incomplete/);
        }
      }
    }
  }

  it('shows the complete time points, and says how many were planned', async () => {
    const series = timeSeries(9, 8);
    const { offsets } = buildOir(series);
    // After the snapshot there are four blocks per frame: properties, tag, pixels, separator. Truncated in the sixth frame.
    const cut = offsets[5 + 4 * 4 + 2]!;
    const opened = await openFiles(folder, { 'a.oir': writeOir(series).slice(0, cut) });
    expect(sceneOf(opened).sizes.T).toBe(5);
    expect(sceneOf(opened).warnings).toEqual([
      expect.stringMatching(
        /^a\.oir: the file is truncated: it has [\d,]+ of [\d,]+ bytes\. Showing what is complete\.$/,
      ),
      'a.oir: ignored 1 block outside complete bands.',
      'Only 5 of 9 planned time points were recorded.',
    ]);
    opened.close();
  });

  it('reads a recording that is still being written', async () => {
    const opened = await openFiles(folder, { 'a.oir': buildOir(spec, framesOf(spec).slice(0, 4)).unfinished() });
    expect(sceneOf(opened).sizes).toEqual({ T: 2, Z: 2, Y: 8, X: 8 });
    expect(sceneOf(opened).warnings[0]).toMatch(
      /the block index is missing, as in a file that is still being recorded/,
    );
    await expectTrue(opened, 1, 8, 2);
    opened.close();
  });
});

describe('an OIR line scan that ends at any block', () => {
  const spec = lineScan(200, 8, 16, { channels: timeDepthSeries().channels, bandBytes: 80 });
  const whole = writeOir(spec);

  it('shows the lines that both channels have', async () => {
    let max = 0;
    for (const end of blockEnds(spec)) {
      const opened = await openFiles(folder, { 'a.oir': whole.slice(0, end) }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'decode_failed' });
        return undefined;
      });
      if (!opened) continue;
      const { sizes, channels } = sceneOf(opened);
      expect(sizes.Y).toBeGreaterThanOrEqual(max);
      max = sizes.Y;
      for (let channel = 0; channel < channels.length; channel++) {
        const expected = expectedPlane(sizes.Y, 8, (y, x) => kymographSample(channel, y, x));
        expectSamePlane(await servedPlane(opened, { channel }), expected);
      }
      opened.close();
    }
    expect(max).toBe(200);
  });
});

/** Writes the frames without one band of the first. */
function withoutBand(spec: OirSpec, missing: { channel: number; number: number }): Uint8Array {
  const builder = new OirBuilder();
  for (const at of framesOf(spec)) {
    builder.frameProperties(framePropertiesXml(spec, at));
    for (const [c, { id }] of spec.channels.entries()) {
      const plane = planeBytes(spec.depth, spec.rows ?? spec.height, spec.width, (y, x) => spec.sample(c, at, y, x));
      const size = spec.bandBytes ?? 64;
      for (let n = 0; n * size < plane.length; n++) {
        if (at.t === 0 && c === missing.channel && n === missing.number) continue;
        builder.band(`${frameName(spec, at)}_${id}_${n}`, n * size, plane.subarray(n * size, (n + 1) * size));
      }
    }
    builder.block(5, new Uint8Array());
  }
  builder.documents(documentItems({ ...spec, reference: undefined as never }, false));
  return builder.finish();
}

describe('a missing band of an OIR file', () => {
  it('fails its own plane, and no other', async () => {
    const spec = { ...timeSeries(3, 16), channels: timeDepthSeries().channels, bandBytes: 64 };
    const opened = await openFiles(folder, { 'a.oir': withoutBand(spec, { channel: 1, number: 3 }) });
    expect(sceneOf(opened).sizes).toEqual({ T: 3, Z: 1, Y: 16, X: 16 });
    expect(sceneOf(opened).warnings[0]).toMatch(/^1 of 3 frames are missing or incomplete/);
    await expect(servedPlane(opened, { channel: 1, t: 0 })).rejects.toMatchObject({
      code: 'decode_failed',
      message:
        'a.oir: the plane of channel 2, time 1 is incomplete: the files contain 192 of 512 bytes; ' +
        'the next band is missing',
    });
    const expected = (t: number) => expectedPlane(16, 16, (y, x) => (t * 11 + y + x) % 4096);
    expectSamePlane(await servedPlane(opened, { channel: 0, t: 0 }), expected(0));
    expectSamePlane(await servedPlane(opened, { channel: 1, t: 1 }), expected(1));
    opened.close();
  });

  it('ends a line scan, with the numbers of lines in a warning', async () => {
    const spec = lineScan(100, 8, 16, { channels: timeDepthSeries().channels, bandBytes: 160 });
    const opened = await openFiles(folder, { 'a.oir': withoutBand(spec, { channel: 0, number: 4 }) });
    // Bands of ten lines: the fifth is missing, so 40 lines are left.
    expect(sceneOf(opened).sizes.Y).toBe(40);
    expectSamePlane(
      await servedPlane(opened, { channel: 1 }),
      expectedPlane(40, 8, (y, x) => kymographSample(1, y, x)),
    );
    expect(sceneOf(opened).warnings).toEqual([
      'Only 40 of 100 planned lines were recorded.',
      'Channel 1: data are missing after line 40; 60 lines from there on were skipped.',
      'Channel 2 has 100 lines, another channel 40. Showing the lines that all channels have.',
    ]);
    opened.close();
  });

  it('leaves the lines before it when there is only one frame', async () => {
    const spec = { ...timeSeries(1, 16), bandBytes: 64, acquiredAxes: [] };
    const opened = await openFiles(folder, { 'a.oir': withoutBand(spec, { channel: 0, number: 5 }) });
    expect(sceneOf(opened).sizes.Y).toBe(10);
    expect(sceneOf(opened).warnings[0]).toBe('Only 10 of 16 lines were recorded.');
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(10, 16, (y, x) => y + x),
    );
    opened.close();
  });
});

describe('an OIR band that is shorter than those of other frames', () => {
  // Frames are compared with the first one by the sizes of their blocks; only the first and the last tag are read.
  it('fails the plane of its frame, with a warning', async () => {
    const spec = { ...timeSeries(4, 16), bandBytes: 128 };
    const builder = new OirBuilder();
    for (const at of framesOf(spec)) {
      builder.frameProperties(framePropertiesXml(spec, at));
      const plane = planeBytes(2, 16, 16, (y, x) => spec.sample(0, at, y, x));
      for (let n = 0; n < 4; n++) {
        const end = 128 * (n + 1) - (at.t === 2 && n === 1 ? 2 : 0);
        builder.band(`${frameName(spec, at)}_${spec.channels[0]?.id}_${n}`, n * 128, plane.subarray(n * 128, end));
      }
      builder.block(5, new Uint8Array());
    }
    builder.documents(documentItems(spec, false));
    const opened = await openFiles(folder, { 'a.oir': builder.finish() });
    expect(sceneOf(opened).warnings).toContainEqual(expect.stringMatching(/^1 of 4 frames are missing or incomplete/));
    await expect(servedPlane(opened, { t: 2 })).rejects.toMatchObject({ code: 'decode_failed' });
    for (const t of [0, 1, 3]) {
      const expected = expectedPlane(16, 16, (y, x) => spec.sample(0, { ...FIRST, t }, y, x));
      expectSamePlane(await servedPlane(opened, { t }), expected);
    }
    opened.close();
  });
});

describe('the documents of an OIR file', () => {
  it('are read from the last version, and from the first when the last is corrupted', async () => {
    const spec = timeSeries(3, 8);
    const builder = new OirBuilder();
    const broken = new TextEncoder().encode('nothing of a document');
    for (const [i, at] of framesOf(spec).entries()) {
      builder.frameProperties(framePropertiesXml(spec, at));
      builder.band(
        `${frameName(spec, at)}_${spec.channels[0]?.id}_0`,
        0,
        planeBytes(2, 8, 8, (y, x) => spec.sample(0, at, y, x)),
      );
      builder.block(5, new Uint8Array());
      if (i === 0) builder.documents(documentItems({ ...spec, created: '2024-01-02T03:04:05.000+00:00' }, true));
    }
    builder.documents([broken]);
    const opened = await openFiles(folder, { 'a.oir': builder.finish() });
    expect([sceneOf(opened).date, sceneOf(opened).time]).toEqual(['20240102', '03:04:05']);
    expect(sceneOf(opened).sizes.T).toBe(3);
    opened.close();
  });

  it('leave numbered channels, no calibration and a warning when they are missing', async () => {
    const builder = buildOir(timeSeries(3, 8), framesOf(timeSeries(3, 8)), false);
    const opened = await openFiles(folder, { 'a.oir': builder.finish() });
    const scene = sceneOf(opened);
    expect(scene.channels).toEqual([{ name: 'CH1' }]);
    expect(scene.steps.X).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    // The frames have their own times.
    expect(scene.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'file' });
    expect(scene.warnings).toEqual([
      'The file does not describe the recording: names and order of the channels, calibration and date are unknown.',
    ]);
    opened.close();
  });

  it('are refused when the frame size is invalid', async () => {
    const spec = timeSeries(2, 8);
    const bytes = writeOir(spec);
    const text = new TextDecoder('latin1').decode(bytes);
    for (let at = text.indexOf('<base:width>8'); at >= 0; at = text.indexOf('<base:width>8', at + 1))
      bytes[at + 12] = 0x2d;
    for (let at = text.indexOf('<commonimage:width>8'); at >= 0; at = -1) bytes[at + 19] = 0x2d;
    await expect(openFiles(folder, { 'a.oir': bytes })).rejects.toMatchObject({
      code: 'decode_failed',
      message: 'a.oir: the frame properties do not contain the width and height of the planes; the file is corrupted',
    });
  });
});

describe('the bands of an OIR file', () => {
  it('keep their other axes when one is unknown', async () => {
    const spec = timeSeries(6, 8);
    const builder = new OirBuilder();
    for (const at of framesOf(spec)) {
      builder.frameProperties(framePropertiesXml(spec, at));
      const pixels = planeBytes(2, 8, 8, (y, x) => spec.sample(0, at, y, x));
      builder.band(`p001${frameName(spec, at)}_${spec.channels[0]?.id}_0`, 0, pixels);
      builder.block(5, new Uint8Array());
    }
    const opened = await openFiles(folder, { 'a.oir': builder.finish() });
    expect(sceneOf(opened).sizes.T).toBe(6);
    for (const t of [0, 5]) {
      const expected = expectedPlane(8, 8, (y, x) => spec.sample(0, { ...FIRST, t }, y, x));
      expectSamePlane(await servedPlane(opened, { t }), expected);
    }
    await expect(servedPlane(opened, { t: 6 })).rejects.toMatchObject({ code: 'decode_failed' });
    opened.close();
  });

  it('are counted when their names are unknown, and the others are read', async () => {
    const builder = buildOir(timeSeries(2, 8));
    builder.band('a name from the future', 0, new Uint8Array(9));
    builder.band(`x002t001_0_1_${timeSeries(2).channels[0]?.id}_0`, 0, new Uint8Array(128));
    const opened = await openFiles(folder, { 'a.oir': builder.finish() });
    expect(sceneOf(opened).sizes.T).toBe(2);
    expect(sceneOf(opened).warnings).toEqual([
      'a.oir: ignored 1 band with unknown names, such as "a name from the future".',
      'a.oir: ignored 1 frame beyond the first value of an axis that is not supported.',
    ]);
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(8, 8, (y, x) => timeSeries(2).sample(0, FIRST, y, x)),
    );
    opened.close();
  });
});
