/** The experiment: which loops made the frames, outermost first. Pure. */
import { LIMITS } from '../../io/limits.js';
import { positive } from './parse.js';
import { Level, type Value } from './variant.js';

export type LoopAxis = 'T' | 'S' | 'Z';

export interface Loop {
  axis: LoopAxis;
  /** Number that the file gives to the kind of loop. */
  type: number;
  count: number;
  /** Time loops: measured and set ms from one time point to the next. */
  average?: number | undefined;
  period?: number | undefined;
  /** Depth loops: µm. */
  step?: number | undefined;
  /** Position loops: names of the points. */
  names?: string[];
}

const SPECTRAL = 6;
const CUSTOM = 7;
const PHASES = 8;
/** 1 time, 8 phases of time, 9 time by hand; 2 and 3 positions; 4 and 10 depth. A custom loop is counted as time. */
const AXES: Record<number, LoopAxis> = { 1: 'T', 2: 'S', 3: 'S', 4: 'Z', 7: 'T', 8: 'T', 9: 'T', 10: 'Z' };
const MAX_DEPTH = 32;

/** Loops of more than one item. What is not understood is told in `warnings`. */
export function parseLoops(experiment: Level | undefined, warnings: string[]): Loop[] {
  const found: { loop: Loop; level: number }[] = [];
  if (experiment) visit(experiment, 0, found, warnings);
  const loops = found.map(({ loop }) => loop).filter(({ count }) => count > 1);
  if (loops.some(({ type }) => type === CUSTOM)) {
    warnings.push('The experiment has a loop of a custom kind; it is shown as time.');
  }
  return loops;
}

/** Of loops side by side the longer one of a kind counts; others of another kind do not nest and are passed over. */
function visit(node: Level, level: number, found: { loop: Loop; level: number }[], warnings: string[]): void {
  if (level > MAX_DEPTH) return;
  const type = node.number('eType') ?? 0;
  const pars = parametersOf(node);
  let below = level + 1;
  if (type === SPECTRAL) below = level;
  else {
    const axis = AXES[type];
    if (axis === undefined && type !== 0) warnings.push(`The experiment has a loop of the unknown kind ${type}.`);
    const loop = axis && pars ? toLoop(axis, type, node, pars) : undefined;
    const last = found.at(-1);
    if (loop && (!last || last.level < level)) found.push({ loop, level });
    else if (loop && last?.level === level && last.loop.axis === loop.axis && last.loop.count < loop.count) {
      found[found.length - 1] = { loop, level };
    }
  }
  // Some files hang the inner loops under the parameters.
  for (const task of pars?.level('pSubLoops')?.levels() ?? [])
    visitAll(task.level('ppNextLevelEx'), below, found, warnings);
  visitAll(node.level('ppNextLevelEx'), below, found, warnings);
}

function visitAll(
  list: Level | undefined,
  level: number,
  found: { loop: Loop; level: number }[],
  warnings: string[],
): void {
  for (const child of list?.levels() ?? []) visit(child.level('SLxExperiment') ?? child, level, found, warnings);
}

/** Version 2 wraps them once more. */
function parametersOf(node: Level): Level | undefined {
  const pars = node.level('uLoopPars');
  const [only] = pars?.entries ?? [];
  return pars?.entries.length === 1 && only?.name === '' && only.value instanceof Level ? only.value : pars;
}

function toLoop(axis: LoopAxis, type: number, node: Level, pars: Level): Loop {
  const count = whole(pars.number('uiCount'));
  if (axis === 'S') return positions(type, node, pars, count);
  if (axis === 'Z') return { axis, type, count, step: depthStep(pars, count) };
  if (type === PHASES) return phases(pars, count);
  return {
    axis,
    type,
    count,
    average: positive(pars.number('dAvgPeriodDiff')),
    period: positive(pars.number('dPeriod')),
  };
}

/** Points that were switched off made no frames. */
function positions(type: number, node: Level, pars: Level, count: number): Loop {
  const points = pars.level('Points')?.levels() ?? [];
  const all = points.length > 0 ? points.map((point) => point.text('dPosName') ?? point.text('pPosName') ?? '') : [];
  const unnamed = pars.level('dPosX')?.entries.length ?? Math.min(count, LIMITS.scenes);
  const names = all.length > 0 ? all : Array.from({ length: unnamed }, () => '');
  const valid = flagsOf(node.at('pItemValid'));
  if (valid === undefined || valid.length < names.length) return { axis: 'S', type, count: names.length, names };
  const kept = names.filter((_, i) => valid[i]);
  return { axis: 'S', type, count: kept.length, names: kept };
}

/** A byte each, or a list of booleans; `undefined` when there are none. */
function flagsOf(value: Value | undefined): boolean[] | undefined {
  if (value instanceof Uint8Array) return value.length > 0 ? Array.from(value, (byte) => byte !== 0) : undefined;
  if (value instanceof Level && value.entries.length > 0) {
    return value.entries.map((entry) => entry.value === true || (typeof entry.value === 'number' && entry.value !== 0));
  }
  return undefined;
}

function depthStep(pars: Level, count: number): number | undefined {
  const stated = positive(pars.number('dZStep'));
  if (stated !== undefined) return stated;
  const [low, high] = [pars.number('dZLow'), pars.number('dZHigh')];
  return low === undefined || high === undefined || count < 2
    ? undefined
    : positive(Math.abs(high - low) / (count - 1));
}

/** Phases one after the other; periods that were switched off made no frames. */
function phases(pars: Level, count: number): Loop {
  const periods = pars.level('pPeriod')?.levels() ?? [];
  const valid = flagsOf(pars.at('pPeriodValid'));
  const kept = periods.filter((_, i) => valid?.[i] ?? true);
  const [only] = kept;
  const loop: Loop = {
    axis: 'T',
    type: PHASES,
    count: kept.reduce((sum, one) => sum + whole(one.number('uiCount')), 0),
  };
  if (kept.length === 0) loop.count = count;
  if (kept.length === 1 && only) {
    loop.average = positive(only.number('dAvgPeriodDiff'));
    loop.period = positive(only.number('dPeriod'));
  }
  return loop;
}

function whole(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : 0;
}
