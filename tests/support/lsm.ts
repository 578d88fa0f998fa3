import type { LsmSpec } from '../writers/lsm.js';
import { dataChannels, recording } from '../writers/lsm.js';

/** Lines 2 ms apart, from 50 s on. */
export function evenStamps(count: number, step = 0.002, start = 50): number[] {
  return Array.from({ length: count }, (_, i) => start + i * step);
}

/** A line scan of 4 pixels × 6 lines in two channels, sample 1000·(c + 1) + 10·t + x. */
export function lineScan(over: Partial<LsmSpec> = {}): LsmSpec {
  return {
    width: 4,
    rows: 6,
    images: 1,
    channels: 2,
    value: ({ channel, y, x }) => 1000 * (channel + 1) + 10 * y + x,
    ...over,
    info: {
      X: 4,
      Y: 1,
      C: 2,
      T: 6,
      voxel: [2.5e-7, 0, 0],
      scanType: 2,
      interval: 0.002,
      stamps: evenStamps(6),
      names: ['Ch1', 'Ch2'],
      scan: recording(
        { id: 0x10000001, text: 'line' },
        { id: 0x10000008, text: 'Line' },
        { id: 0x1000001c, real: 0.25 },
        { id: 0x10000036, real: 45_356.5 },
        ...dataChannels({ name: 'Ch1', acquired: true }, { name: 'Ch2', acquired: true }),
      ),
      ...over.info,
    },
  };
}

/** Frames of 5 × 3 pixels in two channels, T 2, Z 3, sample 1000·c + 100·image + 5·y + x. */
export function frames(over: Partial<LsmSpec> = {}): LsmSpec {
  return {
    width: 5,
    rows: 3,
    channels: 2,
    value: ({ image, channel, y, x }) => 1000 * channel + 100 * image + 5 * y + x,
    ...over,
    info: {
      X: 5,
      Y: 3,
      Z: 3,
      C: 2,
      T: 2,
      voxel: [2e-7, 2e-7, 1e-6],
      scanType: 6,
      stamps: [1000.5, 1003],
      names: ['green', 'red'],
      ...over.info,
    },
  };
}
