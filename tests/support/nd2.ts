import { openChunkFile } from '../../packages/readers/src/formats/nd2/chunk-file.js';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import {
  depthLoop,
  experiment,
  type Nd2Frame,
  type Nd2Spec,
  picture,
  positionLoop,
  textInfo,
  timeLoop,
} from '../writers/nd2.js';

export const openNd2 = (bytes: Uint8Array) => openChunkFile(new MemorySource('test.nd2', bytes));

/** A plane in the file's own type. */
export async function planeOf(
  acquisition: Acquisition,
  address: { scene?: number; channel?: number; t?: number; z?: number },
) {
  const { scene = 0, channel = 0, t = 0, z = 0 } = address;
  const info = acquisition.info.scenes[scene];
  if (!info) throw new Error(`no scene ${scene}`);
  const target = new NativeTarget(info.sampleType, info.sizes.Y, info.sizes.X);
  await acquisition.readPlane({ scene, channel, t, z }, target);
  return [...target.data].map(Number);
}

/** Frames 500 ms apart whose values count up: 1000·frame, then pixel by pixel with the components inside. */
export function countingFrames(count: number, width: number, components: number): Nd2Frame[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    time: 500 * number,
    value: (y: number, x: number, c: number) => 1000 * number + (y * width + x) * components + c,
  }));
}

/** Three frames of 4 rows and 5 columns with two channels: the fact sheet's vector A; with zlib, vector B. */
export function timeSeries(changes: Partial<Nd2Spec> = {}): Nd2Spec {
  return {
    width: 5,
    height: 4,
    components: 2,
    bits: 16,
    pixelType: 1,
    frames: countingFrames(3, 5, 2),
    picture: picture({ channels: [{ name: 'GFP' }, { name: 'RFP' }] }),
    experiment: experiment(timeLoop(3, 500, 500)),
    text: textInfo('4/17/2025  4:39:00 PM'),
    times: [0, 500, 1000],
    ...changes,
  };
}

/** One frame whose rows are lines, 2 ms apart; rows have two bytes of padding: vector C. */
export function lineScan(changes: Partial<Nd2Spec> = {}): Nd2Spec {
  const spec = timeSeries({
    components: 1,
    widthBytes: 12,
    frames: countingFrames(1, 5, 1),
    picture: picture({ channels: [{ name: 'GFP' }], calibration: 0.1, yAxis: 2, timeAxis: 2 }),
    times: [0],
    ...changes,
  });
  const { experiment: _, ...rest } = spec;
  return rest;
}

/** T2 × XY3 × Z2, the second position switched off in the list of four. */
export function everything(changes: Partial<Nd2Spec> = {}): Nd2Spec {
  return timeSeries({
    width: 3,
    height: 2,
    frames: countingFrames(12, 3, 2).map((frame) => ({
      ...frame,
      value: (y, x, c) => frame.number * 100 + y * 20 + x * 5 + c,
    })),
    experiment: experiment(timeLoop(2, 0, 3000), positionLoop(['A1', 'B2', 'C3']), depthLoop(2, 0.75)),
    times: Array.from({ length: 12 }, (_, i) => 500 * i),
    ...changes,
  });
}
