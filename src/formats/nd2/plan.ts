/** Frame numbers to scenes, times and depths: which frame is which plane. The frames in the file decide. Pure. */
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { grouped, plural } from '../../wording.js';
import type { Loop, LoopAxis } from './loops.js';

export interface PlannedScene {
  /** Number along the position loops. */
  position: number;
  name: string;
  T: number;
  Z: number;
}

export interface FramePlan {
  /** Outermost first; frame numbers count through them like the digits of a clock. */
  loops: Loop[];
  scenes: PlannedScene[];
  warnings: string[];
}

/**
 * @param frames numbers of the frames that are in the file
 * @throws AcqError `decode_failed` for more scenes than are read
 */
export function planFrames(name: string, stated: readonly Loop[], frames: Iterable<number>): FramePlan {
  const numbers = [...frames];
  const most = numbers.reduce((a, b) => Math.max(a, b), 0) + 1;
  const warnings: string[] = [];
  const loops = fitLoops(stated, most, numbers.length, warnings);
  const scenes = scenesOf(loops, numbers);
  if (scenes.length > LIMITS.scenes) throw decodeFailed(`${name}: holds ${scenes.length} positions`);
  noteHoles(loops, scenes, numbers.length, warnings);
  return { loops, scenes, warnings };
}

/** Frames beyond what the loops make belong to further time points: none is dropped. */
function fitLoops(stated: readonly Loop[], most: number, present: number, warnings: string[]): Loop[] {
  const planned = product(stated);
  if (most <= planned) return [...stated];
  const [outer] = stated;
  const inner = outer?.axis === 'T' ? planned / outer.count : planned;
  const count = Math.ceil(most / inner);
  warnings.push(
    stated.length === 0
      ? `The file has ${plural(present, 'frame')} and does not describe them. All are shown as time points: positions, times and Z sections are unknown.`
      : `The experiment describes ${plural(planned, 'frame')}; the file has ${grouped(present)}. The others are shown as further time points.`,
  );
  if (outer?.axis === 'T') return [{ ...outer, count }, ...stated.slice(1)];
  return [{ axis: 'T', type: 0, count }, ...stated];
}

/** Positions with frames, each as long and as deep as its own frames reach. */
function scenesOf(loops: readonly Loop[], numbers: readonly number[]): PlannedScene[] {
  const scenes = new Map<number, PlannedScene>();
  for (const number of numbers) {
    const { S, T, Z } = placeOf(loops, number);
    const scene = scenes.get(S);
    if (!scene) scenes.set(S, { position: S, name: '', T: T + 1, Z: Z + 1 });
    else {
      scene.T = Math.max(scene.T, T + 1);
      scene.Z = Math.max(scene.Z, Z + 1);
    }
  }
  const ordered = [...scenes.values()].sort((a, b) => a.position - b.position);
  const many = axisCount(loops, 'S') > 1;
  for (const scene of ordered) scene.name = sceneName(loops, scene.position) || (many ? `XY${scene.position + 1}` : '');
  return ordered;
}

function sceneName(loops: readonly Loop[], position: number): string {
  let rest = position;
  const parts: string[] = [];
  for (const loop of loops.filter(({ axis }) => axis === 'S').reverse()) {
    parts.unshift(loop.names?.[rest % loop.count]?.trim() ?? '');
    rest = Math.floor(rest / loop.count);
  }
  return parts.every((part) => part !== '') ? parts.join(' ') : '';
}

/** Indices of a frame; several loops of one kind count on. */
export function placeOf(loops: readonly Loop[], number: number): Record<LoopAxis, number> {
  const place = { S: 0, T: 0, Z: 0 };
  const stride = { S: 1, T: 1, Z: 1 };
  let rest = number;
  for (let i = loops.length - 1; i >= 0; i--) {
    const { axis, count } = loops[i] as Loop;
    place[axis] += (rest % count) * stride[axis];
    stride[axis] *= count;
    rest = Math.floor(rest / count);
  }
  return place;
}

/** Number of the frame at indices: the inverse of `placeOf`. */
export function frameAt(loops: readonly Loop[], place: Record<LoopAxis, number>): number {
  const rest = { ...place };
  let number = 0;
  let stride = 1;
  for (let i = loops.length - 1; i >= 0; i--) {
    const { axis, count } = loops[i] as Loop;
    number += (rest[axis] % count) * stride;
    rest[axis] = Math.floor(rest[axis] / count);
    stride *= count;
  }
  return number;
}

export function axisCount(loops: readonly Loop[], axis: LoopAxis): number {
  return product(loops.filter((loop) => loop.axis === axis));
}

function product(loops: readonly Loop[]): number {
  return loops.reduce((all, { count }) => all * count, 1);
}

function noteHoles(loops: readonly Loop[], scenes: readonly PlannedScene[], present: number, warnings: string[]): void {
  const longest = (axis: 'T' | 'Z') => scenes.reduce((most, scene) => Math.max(most, scene[axis]), 0);
  const notes = [
    { what: 'positions', recorded: scenes.length, planned: axisCount(loops, 'S') },
    { what: 'time points', recorded: longest('T'), planned: axisCount(loops, 'T') },
    { what: 'depths', recorded: longest('Z'), planned: axisCount(loops, 'Z') },
  ];
  for (const { what, recorded, planned } of notes) {
    if (recorded < planned) warnings.push(`Recorded ${recorded} of ${planned} planned ${what}.`);
  }
  const grid = scenes.reduce((sum, { T, Z }) => sum + T * Z, 0);
  if (grid > present) {
    warnings.push(`Frames not in the file: ${grid - present} of ${grid}; their planes cannot be read.`);
  }
}
