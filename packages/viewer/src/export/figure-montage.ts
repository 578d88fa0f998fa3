/** Several time points or sections in one figure. */
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { documentAxis, type Place, placeLabel, placeOf, type StackDim, stackDims } from '../stack/place.ts';
import type { FigureChoices } from './figure-choices.ts';

export interface MontagePlane {
  readonly place: Place;
  /** `4.0 s` */
  readonly label: string;
}

/** Returns the dimensions that a montage can go through. */
export function montageDims({ info }: AcquisitionDocument, { kind }: Pane): StackDim[] {
  return kind === 'source' ? stackDims(info.value) : [];
}

/** Returns the dimension of the montage; null where only the shown plane is in the figure. */
export function montageDim(document: AcquisitionDocument, pane: Pane, { planes }: FigureChoices): StackDim | null {
  return montageDims(document, pane).find((dim) => dim === planes) ?? null;
}

/** Returns the planes of a montage; null where only the shown plane is in the figure. */
export function montagePlanes(
  document: AcquisitionDocument,
  pane: Pane,
  choices: FigureChoices,
): MontagePlane[] | null {
  const dim = montageDim(document, pane, choices);
  if (dim === null) return null;
  const axis = documentAxis(document, dim);
  const { count, first, last } = choices;
  const place = placeOf(document.info.peek());
  return spread(first ?? 0, Math.min(last ?? Number.POSITIVE_INFINITY, axis.size - 1), count).map((index) => ({
    place: { ...place, [dim]: index },
    label: placeLabel(axis, index),
  }));
}

/** Returns `count` whole numbers from one to another, evenly spread, each once; backwards when they are the other way round. */
export function spread(from: number, to: number, count: number): number[] {
  const taken = Math.min(count, Math.abs(to - from) + 1);
  if (taken < 2) return [from];
  return Array.from({ length: taken }, (_, i) => Math.round(from + (i * (to - from)) / (taken - 1)));
}
