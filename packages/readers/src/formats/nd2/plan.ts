/** Maps frame numbers to scenes, times and depths. Only frames that are in the file count. Pure. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import {
  type GridAxis,
  type GridIndices,
  gridSize,
  toDigits,
  toIndices,
  toLinear,
} from '../../model/metadata/mixed-radix.js';
import type { Loop } from './loops.js';

export interface PlannedScene {
  /** Index along the position loops. */
  position: number;
  name: string;
  T: number;
  Z: number;
}

export interface FramePlan {
  /** Outermost first. */
  loops: readonly Loop[];
  /** The loops in the order of the frame numbers, fastest first. */
  axes: readonly GridAxis[];
  scenes: readonly PlannedScene[];
  warnings: readonly string[];
}

/**
 * Fits the loops of the experiment to the frames in the file.
 * @param described loops of the experiment, outermost first
 * @param frames numbers of the frames in the file
 * @throws AcqError `decode_failed` when there are too many scenes
 */
export function planFrames(described: readonly Loop[], frames: Iterable<number>): FramePlan {
  const numbers = [...frames];
  const { loops, warning } = fitLoops(described, numbers);
  const axes = [...loops].reverse();
  const scenes = collectScenes(loops, axes, numbers);
  if (scenes.length > LIMITS.scenes) {
    throw decodeFailed(`the file has ${grouped(scenes.length)} positions; the limit is ${grouped(LIMITS.scenes)}`);
  }
  const warnings = [...(warning ? [warning] : []), ...describeGaps(axes, scenes, numbers.length)];
  return { loops, axes, scenes, warnings };
}

/** Returns the number of the frame of a plane. */
export function frameAt({ axes }: FramePlan, indices: Pick<GridIndices, 'S' | 'T' | 'Z'>): number {
  return toLinear(axes, indices);
}

/** Frames beyond the described ones become further time points, so that none is lost. */
function fitLoops(
  described: readonly Loop[],
  numbers: readonly number[],
): { loops: readonly Loop[]; warning: string | undefined } {
  const required = numbers.reduce((a, b) => Math.max(a, b), 0) + 1;
  const planned = gridSize(described);
  if (required <= planned) return { loops: described, warning: undefined };
  const [outer] = described;
  const perTime = outer?.kind === 'T' ? planned / outer.size : planned;
  const size = Math.ceil(required / perTime);
  const warning =
    described.length === 0
      ? `The file has ${plural(numbers.length, 'frame')} but no description of the experiment. All are shown as time points; positions, times and Z sections are unknown.`
      : `The experiment describes ${plural(planned, 'frame')}, but the file has ${grouped(numbers.length)}. The others are shown as further time points.`;
  if (outer?.kind === 'T') return { loops: [{ ...outer, size }, ...described.slice(1)], warning };
  return { loops: [{ kind: 'T', type: 0, size }, ...described], warning };
}

/** Returns the positions that have frames, each with as many times and depths as its own frames reach. */
function collectScenes(loops: readonly Loop[], axes: readonly GridAxis[], numbers: readonly number[]): PlannedScene[] {
  const scenes = new Map<number, PlannedScene>();
  for (const number of numbers) {
    const { S, T, Z } = toIndices(axes, number);
    const scene = scenes.get(S);
    if (!scene) scenes.set(S, { position: S, name: '', T: T + 1, Z: Z + 1 });
    else {
      scene.T = Math.max(scene.T, T + 1);
      scene.Z = Math.max(scene.Z, Z + 1);
    }
  }
  const ordered = [...scenes.values()].sort((a, b) => a.position - b.position);
  const fallback = (position: number) => (gridSize(axes, 'S') > 1 ? `XY${position + 1}` : '');
  for (const scene of ordered) scene.name = positionName(loops, scene.position) || fallback(scene.position);
  return ordered;
}

/** Joins the names of a position in all position loops; empty when any of them has no name. */
function positionName(loops: readonly Loop[], position: number): string {
  const positionLoops = loops.filter(({ kind }) => kind === 'S');
  const indices = toDigits(
    positionLoops.map(({ size }) => size),
    position,
  );
  const names = positionLoops.map((loop, i) => loop.names?.[indices[i]!]?.trim() ?? '');
  return names.every((name) => name !== '') ? names.join(' ') : '';
}

function describeGaps(axes: readonly GridAxis[], scenes: readonly PlannedScene[], frames: number): string[] {
  const longest = (kind: 'T' | 'Z') => scenes.reduce((size, scene) => Math.max(size, scene[kind]), 0);
  const counts = [
    { what: 'positions', recorded: scenes.length, planned: gridSize(axes, 'S') },
    { what: 'time points', recorded: longest('T'), planned: gridSize(axes, 'T') },
    { what: 'depths', recorded: longest('Z'), planned: gridSize(axes, 'Z') },
  ];
  const warnings = counts
    .filter(({ recorded, planned }) => recorded < planned)
    .map(
      ({ what, recorded, planned }) =>
        `Only ${grouped(recorded)} of ${grouped(planned)} planned ${what} were recorded.`,
    );
  const expected = scenes.reduce((sum, { T, Z }) => sum + T * Z, 0);
  if (expected > frames) {
    const missing = expected - frames;
    const [are, planes] = missing === 1 ? ['is', 'Its plane'] : ['are', 'Their planes'];
    warnings.push(
      asCorrupted(
        `${grouped(missing)} of ${plural(expected, 'frame')} ${are} missing from the file. ${planes} cannot be read.`,
      ),
    );
  }
  return warnings;
}
