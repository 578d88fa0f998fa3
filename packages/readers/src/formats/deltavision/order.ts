/** In which order a file has its planes. Pure. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { AxisKind, GridAxis } from '../../model/metadata/mixed-radix.js';
import type { RawDeltaVision } from './parse.js';

/** By the number in the header: sections (Z), waves (W), time points (T) and panels (P), the fastest first. */
const SEQUENCES = [
  ...['ZTW', 'WZT', 'ZWT', 'ZPWT', 'ZWPT', 'WZPT', 'WPTZ', 'PWTZ'],
  ...['PTWZ', 'PZWT', 'PWZT', 'WPZT', 'WTPZ', 'TWPZ', 'TPWZ'],
];
const KINDS: Readonly<Record<string, AxisKind>> = { Z: 'Z', W: 'C', T: 'T', P: 'S' };

/**
 * Returns the axes of the planes, fastest first.
 * @throws AcqError `decode_failed` when the planes cannot be divided among waves, time points and panels
 */
export function planeAxes(raw: RawDeltaVision, notes: Notes): GridAxis[] {
  const { waves, times, panels, sequence } = raw;
  const [, , planes] = raw.size;
  if (planes > LIMITS.planes) {
    throw decodeFailed(`the header says ${grouped(planes)} planes; the limit is ${grouped(LIMITS.planes)}.`);
  }
  // Each panel is a scene with all waves.
  if (waves * panels > LIMITS.channels) {
    const of = `${grouped(waves)} waves × ${grouped(panels)} panels`;
    throw decodeFailed(`the header says ${of}; the limit is ${grouped(LIMITS.channels)}.`);
  }
  const others = waves * times * panels;
  if (others > planes || planes % others !== 0) {
    const of = `${grouped(waves)} waves × ${grouped(times)} time points × ${grouped(panels)} panels`;
    throw decodeFailed(`the header says ${grouped(planes)} planes, which cannot be divided among ${of}.`);
  }
  const known = SEQUENCES[sequence];
  if (known === undefined && [waves, times, planes / others].filter((size) => size > 1).length > 1) {
    notes.add(
      `The order of planes has the unknown number ${sequence}; sections, then time points, then waves are assumed.`,
    );
  }
  const letters = known ?? 'ZTW';
  const sizes: Readonly<Record<string, number>> = { Z: planes / others, W: waves, T: times, P: panels };
  // Orders of older files have no panels.
  return [...(letters.includes('P') ? letters : `${letters}P`)].map((letter) => ({
    kind: KINDS[letter]!,
    size: sizes[letter]!,
  }));
}
