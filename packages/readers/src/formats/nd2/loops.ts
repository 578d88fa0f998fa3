/** Parses the experiment: which loops the frames were recorded in, outermost first. Pure. */
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import type { GridAxis } from '../../model/metadata/mixed-radix.js';
import { positive, VariantLevel, type VariantValue } from './variant.js';

export type LoopKind = 'T' | 'S' | 'Z';

export interface Loop extends GridAxis {
  kind: LoopKind;
  /** The file's own number for the type of loop. */
  type: number;
  /** Time loops: ms from one time point to the next, as measured and as set. */
  average?: number | undefined;
  period?: number | undefined;
  /** Depth loops: µm from one depth to the next. */
  step?: number | undefined;
  /** Position loops: names of the points. */
  names?: string[];
}

const SPECTRAL = 6;
const CUSTOM = 7;
const PHASES = 8;
/** 1 time, 8 phases of time, 9 manual time; 2 and 3 positions; 4 and 10 depth. A custom loop (7) counts as time. */
const KINDS: Record<number, LoopKind> = { 1: 'T', 2: 'S', 3: 'S', 4: 'Z', 7: 'T', 8: 'T', 9: 'T', 10: 'Z' };
const MAX_DEPTH = 32;

/** Returns the loops with more than one entry, and warnings about loops of unknown meaning. */
export function parseLoops(experiment: VariantLevel | undefined): { loops: Loop[]; warnings: string[] } {
  const collector = new LoopCollector();
  if (experiment) collector.visit(experiment, 0);
  const loops = collector.loops().filter(({ size }) => size > 1);
  if (loops.some(({ type }) => type === CUSTOM)) {
    collector.notes.add('The experiment has a custom loop, which is shown as time.');
  }
  return { loops, warnings: collector.notes.list() };
}

/** Collects one loop per level: of sibling loops of one kind the longest, ignoring siblings of other kinds. */
class LoopCollector {
  readonly notes = new Notes();
  private readonly entries: { loop: Loop; level: number }[] = [];

  loops(): Loop[] {
    return this.entries.map(({ loop }) => loop);
  }

  visit(node: VariantLevel, level: number): void {
    if (level > MAX_DEPTH) return;
    const type = node.number('eType') ?? 0;
    const parameters = findParameters(node);
    if (type !== SPECTRAL) this.add(type, node, parameters, level);
    const below = type === SPECTRAL ? level : level + 1;
    // Some files keep the inner loops below the parameters.
    for (const task of parameters?.level('pSubLoops')?.levels() ?? [])
      this.visitAll(task.level('ppNextLevelEx'), below);
    this.visitAll(node.level('ppNextLevelEx'), below);
  }

  private visitAll(list: VariantLevel | undefined, level: number): void {
    for (const child of list?.levels() ?? []) this.visit(child.level('SLxExperiment') ?? child, level);
  }

  private add(type: number, node: VariantLevel, parameters: VariantLevel | undefined, level: number): void {
    const kind = KINDS[type];
    if (kind === undefined && type !== 0) {
      this.notes.add(`The experiment has a loop of unknown type ${type}, which was ignored.`);
    }
    const loop = kind && parameters ? toLoop(kind, type, node, parameters) : undefined;
    if (!loop) return;
    const last = this.entries.at(-1);
    if (!last || last.level < level) this.entries.push({ loop, level });
    else if (last.level === level && last.loop.kind === loop.kind && last.loop.size < loop.size) {
      this.entries[this.entries.length - 1] = { loop, level };
    }
  }
}

/** Version 2 wraps the parameters in one more level. */
function findParameters(node: VariantLevel): VariantLevel | undefined {
  const parameters = node.level('uLoopPars');
  const [only] = parameters?.entries ?? [];
  if (parameters?.entries.length === 1 && only?.name === '' && only.value instanceof VariantLevel) return only.value;
  return parameters;
}

function toLoop(kind: LoopKind, type: number, node: VariantLevel, parameters: VariantLevel): Loop {
  const size = toCount(parameters.number('uiCount'));
  if (kind === 'S') return toPositionLoop(type, node, parameters, size);
  if (kind === 'Z') return { kind, type, size, step: depthStep(parameters, size) };
  if (type === PHASES) return toPhaseLoop(parameters, size);
  return {
    kind,
    type,
    size,
    average: positive(parameters.number('dAvgPeriodDiff')),
    period: positive(parameters.number('dPeriod')),
  };
}

/** Points that were switched off have no frames. */
function toPositionLoop(type: number, node: VariantLevel, parameters: VariantLevel, count: number): Loop {
  const points = parameters.level('Points')?.levels() ?? [];
  const pointNames = points.map((point) => point.text('dPosName') ?? point.text('pPosName') ?? '');
  const unnamed = parameters.level('dPosX')?.entries.length ?? Math.min(count, LIMITS.scenes);
  const names = pointNames.length > 0 ? pointNames : Array.from({ length: unnamed }, () => '');
  const valid = toFlags(node.at('pItemValid'));
  const enabled = valid && valid.length >= names.length ? names.filter((_, i) => valid[i]) : names;
  return { kind: 'S', type, size: enabled.length, names: enabled };
}

/** Flags are stored as a byte each or as a list of booleans; `undefined` when there are none. */
function toFlags(value: VariantValue | undefined): boolean[] | undefined {
  if (value instanceof Uint8Array) return value.length > 0 ? Array.from(value, (byte) => byte !== 0) : undefined;
  if (value instanceof VariantLevel && value.entries.length > 0) {
    return value.entries.map((entry) => entry.value === true || (typeof entry.value === 'number' && entry.value !== 0));
  }
  return undefined;
}

function depthStep(parameters: VariantLevel, count: number): number | undefined {
  const step = positive(parameters.number('dZStep'));
  if (step !== undefined) return step;
  const [low, high] = [parameters.number('dZLow'), parameters.number('dZHigh')];
  if (low === undefined || high === undefined || count < 2) return undefined;
  return positive(Math.abs(high - low) / (count - 1));
}

/** Phases follow each other; those that were switched off have no frames. */
function toPhaseLoop(parameters: VariantLevel, count: number): Loop {
  const phases = parameters.level('pPeriod')?.levels() ?? [];
  const valid = toFlags(parameters.at('pPeriodValid'));
  const enabled = phases.filter((_, i) => valid?.[i] ?? true);
  const total = enabled.reduce((sum, phase) => sum + toCount(phase.number('uiCount')), 0);
  const loop: Loop = { kind: 'T', type: PHASES, size: enabled.length === 0 ? count : total };
  const [only] = enabled;
  if (enabled.length === 1 && only) {
    loop.average = positive(only.number('dAvgPeriodDiff'));
    loop.period = positive(only.number('dPeriod'));
  }
  return loop;
}

function toCount(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
