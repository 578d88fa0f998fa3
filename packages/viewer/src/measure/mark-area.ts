/** How much a mark encloses. */
import { sampleCount } from '../analysis/region.ts';
import type { Mark, Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import { markRegion } from './mark-region.ts';

/** Returns the area of a region in µm², otherwise in samples; null for marks that enclose nothing. */
export function markArea(mark: Mark, pane: Pane): number | null {
  if (!isArea(mark.kind)) return null;
  return sampleCount(markRegion(mark, pane.shape)) * (sampleArea(pane) ?? 1);
}

export function areaUnit(pane: Pane): string {
  return sampleArea(pane) === null ? 'px' : 'µm²';
}

/** Returns the area of a sample in µm²; null when an axis is not in µm. */
function sampleArea({ plane }: Pane): number | null {
  const inMicrometers = plane.axes.length === 2 && plane.axes.every(({ unit }) => unit === 'micrometer');
  return inMicrometers ? plane.axes.reduce((area, { step }) => area * step, 1) : null;
}
