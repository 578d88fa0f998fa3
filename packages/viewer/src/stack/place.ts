/** Time points and sections of an acquisition: which of them can be chosen, and which plane a place names. */

import type { PlanePlace } from '@acquisition-store/client';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { type MeasuredAxes, type MeasuredAxis, measuredText } from '../model/measured-axis.ts';
import { formatFixed, formatNumber, stepDecimals } from '../model/number-text.ts';
import { scaleFor } from '../model/units.ts';

export type StackDim = 'T' | 'Z';

/** Indices of a time point and a section, counted from 0. A dimension that the file does not have is 0. */
export interface Place {
  readonly T: number;
  readonly Z: number;
}

const STACK_DIMS: readonly StackDim[] = ['T', 'Z'];

/** Returns the dimensions whose planes can be chosen in this session; a projected dimension is not among them. */
export function stackDims({ header, selection }: Pick<OpenResponse, 'header' | 'selection'>): StackDim[] {
  return STACK_DIMS.filter((dim) => (header.sizes[dim] ?? 1) > 1 && selection?.[dim] !== undefined);
}

/** Returns the dimensions along which a picture can be cut into sections: none for references and line scans. */
export function planeDims(info: Pick<OpenResponse, 'header' | 'selection'>, pane: Pick<Pane, 'kind' | 'lineScan'>) {
  return pane.kind === 'source' && !pane.lineScan ? stackDims(info) : [];
}

/** Returns the selection of a session at another time point and section, of those that can be chosen. */
export function selectionAt(info: Pick<OpenResponse, 'header' | 'selection'>, place: Place): Record<string, number> {
  return { ...info.selection, ...Object.fromEntries(stackDims(info).map((dim) => [dim, place[dim]])) };
}

/** Returns the dimensions of the file with several planes, also a projected one. */
export function fileDims({ header }: Pick<OpenResponse, 'header'>): StackDim[] {
  return STACK_DIMS.filter((dim) => (header.sizes[dim] ?? 1) > 1);
}

export type ProjectionMethod = 'max' | 'mean';
export const PROJECTION_METHODS: readonly ProjectionMethod[] = ['max', 'mean'];

/** How the planes of one dimension are combined. */
export type Projection = { readonly [D in StackDim]?: ProjectionMethod };

const METHOD_NAMES: Readonly<Record<ProjectionMethod, string>> = { max: 'maximum', mean: 'mean' };
export const SINGULARS: Readonly<Record<StackDim, string>> = { T: 'time point', Z: 'section' };
export const PLURALS: Readonly<Record<StackDim, string>> = { T: 'time points', Z: 'sections' };

/** Returns `maximum of 5 sections`; empty for single planes. */
export function projectionWords({ header, projection = {} }: Pick<OpenResponse, 'header' | 'projection'>): string {
  const words = STACK_DIMS.flatMap((dim) => {
    const method = projection[dim];
    const count = formatNumber(header.sizes[dim] ?? 1);
    return method === undefined ? [] : [`${METHOD_NAMES[method]} of ${count} ${PLURALS[dim]}`];
  });
  return words.join(', ');
}

/** Returns the part of a file name that says which plane of a stack is in it: `.T3.Zmax`, counted from 1. */
export function placeSuffix(info: Pick<OpenResponse, 'header' | 'selection' | 'projection'>): string {
  const { selection, projection } = info;
  return fileDims(info)
    .map((dim) => `.${dim}${projection?.[dim] ?? (selection?.[dim] ?? 0) + 1}`)
    .join('');
}

/** Returns the place of the plane that the response names. */
export function placeOf({ selection }: Pick<OpenResponse, 'selection'>): Place {
  return { T: selection?.['T'] ?? 0, Z: selection?.['Z'] ?? 0 };
}

/** Returns the place as the client takes it, with the dimensions of the session only. */
export function planePlace(info: Pick<OpenResponse, 'header' | 'selection'>, place: Place): PlanePlace {
  const dims = stackDims(info);
  return { ...(dims.includes('T') ? { t: place.T } : {}), ...(dims.includes('Z') ? { z: place.Z } : {}) };
}

export function samePlace(a: Place, b: Place): boolean {
  return a.T === b.T && a.Z === b.Z;
}

/** Returns `S 1`, `T 3`, `Z 1`: scenes, time points and sections as the page counts them, from 1. */
export function selectionWords(selection: Readonly<Record<string, number>>): string[] {
  return Object.entries(selection).map(([dim, index]) => `${dim} ${index + 1}`);
}

/** Returns `time point 3 of 14 · 1.0 s, maximum of 5 sections`; empty without time points and sections. */
export function planeWords(
  info: Pick<OpenResponse, 'header' | 'selection' | 'projection'>,
  measured: MeasuredAxes,
): string {
  const places = stackDims(info).map(
    (dim) => `${SINGULARS[dim]} ${placeWords(stackAxis(info, dim, measured), placeOf(info)[dim])}`,
  );
  return [...places, projectionWords(info)].filter(Boolean).join(', ');
}

export interface StackAxis {
  readonly dim: StackDim;
  readonly size: number;
  /** Distance of neighbors in `unit`; null when the file does not contain it. */
  readonly step: number | null;
  readonly unit: string;
  /** The measured times or depths; null when the file has none, or they are not read yet. */
  readonly measured: MeasuredAxis | null;
}

/** Describes a dimension of the file. */
export function stackAxis(
  { header }: Pick<OpenResponse, 'header'>,
  dim: StackDim,
  measured: MeasuredAxes = {},
): StackAxis {
  const at = header.dims.indexOf(dim);
  const unit = header.physicalUnitsLabels[at] ?? 'Pixels';
  const known = at >= 0 && unit !== 'Pixels' && header.calibration[at] !== 'default';
  const step = known ? (header.physicalUnits[at] ?? null) : null;
  return { dim, size: header.sizes[dim] ?? 1, step, unit, measured: (known && measured[dim]) || null };
}

/** Describes a dimension of an acquisition, with the measured times or depths once they are read. */
export function documentAxis(
  { info, measured }: Pick<AcquisitionDocument, 'info' | 'measured'>,
  dim: StackDim,
): StackAxis {
  return stackAxis(info.value, dim, measured.value);
}

/** Returns the time or depth of an index, for example `4.0 s`; empty when it is not known. */
export function axisPosition({ size, step, unit, measured }: StackAxis, index: number): string {
  if (step === null) return '';
  const scale = scaleFor(unit, step * size);
  if (measured !== null) {
    const value = measured.values[index]!;
    return Number.isNaN(value) ? '' : measuredText(measured, value, scale);
  }
  return `${formatFixed(index * step * scale.factor, stepDecimals(step * scale.factor))} ${scale.unit}`;
}

/** Returns `4.0 s` to write on a picture, or `3 of 6` where the time or depth is not known. */
export function placeLabel(axis: StackAxis, index: number): string {
  return axisPosition(axis, index) || `${formatNumber(index + 1)} of ${formatNumber(axis.size)}`;
}

/** Returns `3 of 6 · 4.0 s`: people count from 1. */
export function placeWords(axis: StackAxis, index: number): string {
  const position = axisPosition(axis, index);
  return `${formatNumber(index + 1)} of ${formatNumber(axis.size)}${position === '' ? '' : ` · ${position}`}`;
}
