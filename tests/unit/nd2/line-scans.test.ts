import { describe, expect, it } from 'vitest';
import { openChunkFile } from '../../../packages/readers/src/formats/nd2/chunk-file.js';
import { splitIntoBands } from '../../../packages/server/src/sessions/bands.js';
import { CountingSource } from '../../support/counting-source.js';
import { countingFrames, lineScan, openNd2, planeOf, timeSeries } from '../../support/nd2.js';
import { bandTarget } from '../../support/planes.js';
import { depthLoop, experiment, type Nd2Spec, picture, timeLoop, writeNd2 } from '../../writers/nd2.js';

const sceneOf = (spec: Nd2Spec) => {
  const opened = openNd2(writeNd2(spec));
  const [scene] = opened.info.scenes;
  if (!scene) throw new Error('no scene');
  return { opened, scene };
};

/** Frames of one row: line n, pixel x, component c → 100·n + 10·x + c. */
const lines = (count: number, changes: Partial<Nd2Spec> = {}) =>
  timeSeries({
    height: 1,
    frames: Array.from({ length: count }, (_, number) => ({
      number,
      time: 2.5 * number,
      value: (_y: number, x: number, c: number) => 100 * number + 10 * x + c,
    })),
    experiment: experiment(timeLoop(count, 2.5)),
    times: Array.from({ length: count }, (_, i) => 2.5 * i),
    ...changes,
  });

describe('an ND2 line scan', () => {
  it('in one image has rows as lines', async () => {
    const { opened, scene } = sceneOf(lineScan());
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 4, X: 5 });
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.1, unit: 'micrometer', origin: 'file' });
    expect(await planeOf(opened, {})).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(scene.warnings).toEqual([]);
  });

  it('with time along the rows is transposed', async () => {
    const axes = picture({ channels: [{ name: 'GFP' }], calibration: 0.1, xAxis: 2, yAxis: 1, timeAxis: 2 });
    const { opened, scene } = sceneOf(lineScan({ picture: axes }));
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 5, X: 4 });
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.1, unit: 'micrometer', origin: 'file' });
    const plane = await planeOf(opened, {});
    expect(plane).toEqual([0, 5, 10, 15, 1, 6, 11, 16, 2, 7, 12, 17, 3, 8, 13, 18, 4, 9, 14, 19]);
  });

  it('with interleaved channels is transposed in several reads', async () => {
    const spec = lineScan({
      width: 3,
      height: 40_000,
      components: 2,
      frames: [{ number: 0, time: 0, value: (y, x, c) => (y * 3 + x * 5 + c) % 65_536 }],
      picture: picture({ channels: [{ name: 'a' }, { name: 'b' }], xAxis: 2, timeAxis: 1 }),
    });
    const { widthBytes: _, ...rest } = spec;
    const { opened, scene } = sceneOf(rest);
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 40_000 });
    const plane = await planeOf(opened, { channel: 1 });
    expect(plane.every((value, i) => value === ((i % 40_000) * 3 + Math.floor(i / 40_000) * 5 + 1) % 65_536)).toBe(
      true,
    );
  });

  it.each([2, 0])('with a frame for each line is one plane, compression %i', async (compression) => {
    const { opened, scene } = sceneOf(lines(6, { compression }));
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 5 });
    expect(scene.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    const plane = await planeOf(opened, { channel: 1 });
    expect(plane.slice(0, 5)).toEqual([1, 11, 21, 31, 41]);
    expect(plane.slice(-5)).toEqual([501, 511, 521, 531, 541]);
  });

  it('with a frame for each line and depth has a plane for each depth', async () => {
    const { opened, scene } = sceneOf(lines(6, { experiment: experiment(timeLoop(3, 5), depthLoop(2, 1)) }));
    expect(scene.sizes).toEqual({ T: 1, Z: 2, Y: 3, X: 5 });
    const plane = await planeOf(opened, { z: 1 });
    expect([plane[0], plane[5], plane[10]]).toEqual([100, 300, 500]);
    expect(scene.steps.Y.step).toBe(0.005);
  });

  it.each([2, 0])('is read once for all channels when they are read together, compression %i', async (compression) => {
    const bytes = writeNd2(lines(40, { width: 3000, compression }));
    const source = new CountingSource(bytes);
    const opened = openChunkFile(source);
    expect([opened.bands?.(0), opened.readsOnce?.(0)]).toEqual([40, true]);
    const planes: number[][] = [[], []];
    source.reset();
    for (const band of splitIntoBands(40, 2)) {
      const targets = [0, 1].map(() => bandTarget(40, 3000, band));
      await opened.readChannels!(
        { scene: 0, t: 0, z: 0 },
        [0, 1],
        targets.map(({ target }) => target),
      );
      for (const [channel, { target, data }] of targets.entries()) {
        target.finish();
        planes[channel]!.push(...data);
      }
    }
    // A piece that reaches into both bands is read for each.
    expect(source.bytes).toBeLessThan(1.5 * bytes.length);
    for (const channel of [0, 1]) expect(planes[channel]).toEqual(await planeOf(opened, { channel }));
  });

  it('with a missing line shows the lines before it', async () => {
    const whole = lines(6);
    const spec = { ...whole, frames: whole.frames.filter(({ number }) => number !== 4), sequenceCount: 5 };
    const { opened, scene } = sceneOf(spec);
    expect(scene.sizes.Y).toBe(4);
    expect(scene.warnings).toContain('Line 5 is missing, so only 4 of 6 lines can be shown.');
    expect((await planeOf(opened, {})).slice(-5)).toEqual([300, 310, 320, 330, 340]);
  });

  it('that was stopped early shows the recorded lines', () => {
    const { scene } = sceneOf({ ...lines(6), experiment: experiment(timeLoop(30_000, 2.5)) });
    expect(scene.sizes.Y).toBe(6);
    expect(scene.warnings).toEqual(['Only 6 of 30,000 planned time points were recorded.']);
  });

  it.each([
    [7, 4],
    [3, 4],
  ])('has %i lines although the header says %i', async (rows, planned) => {
    const { opened, scene } = sceneOf(lineScan({ rows }));
    expect(scene.sizes.Y).toBe(rows);
    expect(scene.warnings).toEqual([`The header says ${planned} lines, but the frames have ${rows}. Showing ${rows}.`]);
    expect(await planeOf(opened, {})).toEqual(Array.from({ length: rows * 5 }, (_, i) => i));
  });

  it('without a line period is in pixels', () => {
    const { scene } = sceneOf(lineScan({ picture: picture({ channels: [{ name: 'GFP' }], yAxis: 2 }) }));
    expect(scene.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene.warnings).toEqual([
      'Y is time, but the file does not contain the time per pixel. The axis is in pixels.',
    ]);
  });

  it('that is repeated has a plane for each repetition', async () => {
    const { opened, scene } = sceneOf(
      lineScan({ frames: countingFrames(3, 5, 1), experiment: experiment(timeLoop(3, 500)), times: [0, 500, 1000] }),
    );
    // lineScan drops the experiment of the series it is made from; frames without one are time points.
    expect(scene.sizes).toEqual({ T: 3, Z: 1, Y: 4, X: 5 });
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene.steps.T.step).toBe(0.5);
    expect((await planeOf(opened, { t: 2 }))[6]).toBe(2006);
  });
});

describe('an ND2 picture', () => {
  it('with depth along the rows is an x–z scan', () => {
    const { scene } = sceneOf(lineScan({ picture: picture({ channels: [{ name: 'GFP' }], yAxis: 3, zAxis: 0.6 }) }));
    expect(scene.steps.Y).toEqual({ step: 0.6, unit: 'micrometer', origin: 'file' });
    expect(scene.rowAxis).toBe('z');
    expect(scene.warnings).toContain('This is an x–z scan: the rows are depths, so the Y axis runs along z.');
    expect(scene.steps.X.step).toBe(0.25);
  });

  it('of separate points has no pixel size', () => {
    const { scene } = sceneOf(lineScan({ picture: picture({ channels: [{ name: 'GFP' }], xAxis: 4, yAxis: 4 }) }));
    expect([scene.steps.Y.unit, scene.steps.X.unit]).toEqual(['Pixels', 'Pixels']);
  });
});
