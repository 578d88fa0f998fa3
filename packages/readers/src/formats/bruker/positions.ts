/** Where the stage and its piezos were at a frame. */
import { lookUp, type RawBrukerFrame, type RawScan, type RawSequence } from './parse.js';

/** Devices of an axis: the stage and piezos. */
const MAX_DEVICES = 8;

export interface Position {
  /** Sum of the devices in µm; `NaN` where the XML has none. */
  at: number;
  devices: number;
}

/** Returns the position of a frame along an axis. What a frame does not say is that of its sequence, or of the recording. */
export function findPosition(
  axis: 'x' | 'y' | 'z',
  frame: RawBrukerFrame | undefined,
  sequence: RawSequence,
  scan: RawScan,
): Position {
  const levels = frame ? [frame, sequence, scan] : [sequence, scan];
  const key = `positioncurrent_${axis}axis`;
  let at = 0;
  let devices = 0;
  for (let device = 0; device < MAX_DEVICES; device++) {
    const value = lookUp(`${key}_${device}`, ...levels);
    if (value === undefined) continue;
    at += value;
    devices++;
  }
  if (devices > 0) return { at, devices };
  const only = lookUp(key, ...levels);
  return only === undefined ? { at: Number.NaN, devices: 0 } : { at: only, devices: 1 };
}

/** Depths of the frames of a sequence. */
export interface Depths {
  at: Float64Array;
  /** More than one device moves: the depths are sums. */
  areSums: boolean;
}

export function findDepths(sequence: RawSequence, scan: RawScan): Depths {
  const positions = sequence.frames.map((frame) => findPosition('z', frame, sequence, scan));
  return {
    at: Float64Array.from(positions, ({ at }) => at),
    areSums: positions.some(({ devices }) => devices > 1),
  };
}
