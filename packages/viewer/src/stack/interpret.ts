/** What the user says that the planes of a file are, where the file does not say it, or says it wrongly. */
import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { OpenedAcquisition } from '../model/client.ts';
import { formatNumber } from '../model/number-text.ts';
import { Kymograph } from './kymograph.ts';

export type CountedAxis = 'T' | 'Z' | 'C';
type Counts = Readonly<Record<CountedAxis, number>>;

const AXES: readonly CountedAxis[] = ['T', 'Z', 'C'];
export const AXIS_WORDS: Readonly<Record<CountedAxis, string>> = { T: 'time points', Z: 'sections', C: 'channels' };

/** The choices of the dialog: what the planes are, the slowest axis first. */
export const MEANINGS = ['T', 'Z', 'TZ', 'TC', 'ZC', 'TZC'] as const;
export type Meaning = (typeof MEANINGS)[number];

export function axesOf(meaning: Meaning): CountedAxis[] {
  return [...meaning] as CountedAxis[];
}

/** Returns `time points × channels`. */
export function axesWords(axes: readonly CountedAxis[]): string {
  return axes.map((axis) => AXIS_WORDS[axis]).join(' × ');
}

export function planeCounts({ header }: Pick<OpenResponse, 'header'>): Counts {
  return { T: header.sizes['T'] ?? 1, Z: header.sizes['Z'] ?? 1, C: header.numChannels };
}

/** True for a file with several planes. The rows of a kymograph stay time points. */
export function canInterpret(acquisition: OpenedAcquisition): boolean {
  const { T, Z, C } = planeCounts(acquisition.info);
  return T * Z * C > 1 && !(acquisition instanceof Kymograph);
}

/** True for the warning of a file that does not name its axes. */
export function isAboutAxes(warning: string): boolean {
  return /does not say what (its [\d,]+ pages|the axes|axis) /.test(warning);
}

export function meaningOf({ T, Z, C }: Counts): Meaning {
  const axes = `${T > 1 ? 'T' : ''}${Z > 1 ? 'Z' : ''}${C > 1 && T * Z === 1 ? 'C' : ''}`;
  return MEANINGS.find((meaning) => meaning === axes) ?? (axes === 'C' ? 'TC' : 'T');
}

/**
 * Returns the sizes of the axes of a meaning, or a sentence on why they do not fit. The first axis gets what is left of
 * the planes; channels that are no axis stay as they are.
 * @param sizes those of the other axes
 */
export function fitPlanes(meaning: Meaning, sizes: Counts, counts: Counts): Counts | string {
  const [first, ...others] = axesOf(meaning) as [CountedAxis, ...CountedAxis[]];
  const planes = counts.T * counts.Z * (meaning.includes('C') ? counts.C : 1);
  const divisor = others.reduce((product, axis) => product * sizes[axis], 1);
  if (!others.every((axis) => Number.isInteger(sizes[axis]) && sizes[axis] > 0)) return 'Enter whole numbers above 0.';
  if (planes % divisor !== 0) return `${formatNumber(planes)} planes are not a multiple of ${formatNumber(divisor)}.`;
  const size = (axis: CountedAxis) =>
    axis === first ? planes / divisor : others.includes(axis) ? sizes[axis] : axis === 'C' ? counts.C : 1;
  return { T: size('T'), Z: size('Z'), C: size('C') };
}

/** @param fastest the axis that changes from a plane to the next one */
export function toRequestedAxes(meaning: Meaning, axes: Counts, fastest: CountedAxis): Interpretation {
  const slower = axesOf(meaning).filter((axis) => axis !== fastest);
  return { axes, ...(meaning.length > 1 ? { order: [...slower, fastest] } : {}) };
}

/** Checks what a link says of the files of a recording; nothing when it is one file. */
export function toParts(value: unknown): { parts?: 'all' } {
  return value === 'all' ? { parts: value } : {};
}

/** Checks what a link says of the planes; nothing when it is invalid. */
export function toInterpretation(value: unknown): { interpret?: Interpretation } {
  const { axes, order } = (value ?? {}) as Record<string, unknown>;
  const sizes = Object.entries(axes ?? {}).filter(([axis, size]) => isAxis(axis) && Number.isInteger(size) && size > 0);
  const names = Array.isArray(order) ? [...new Set(order.filter(isAxis))] : [];
  const interpret = {
    ...(sizes.length > 0 ? { axes: Object.fromEntries(sizes) as Counts } : {}),
    ...(names.length > 0 ? { order: names } : {}),
  };
  return Object.keys(interpret).length > 0 ? { interpret } : {};
}

function isAxis(value: unknown): value is CountedAxis {
  return AXES.includes(value as CountedAxis);
}
