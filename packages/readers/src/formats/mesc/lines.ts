/** Where the lines of an acousto-optic scan are in the page that the file stores: side by side, with the cycles below each other. */

import { listOf, numberOf, objectOf } from '../../base/json.js';
import type { RawUnit } from './parse.js';

/** Part of a page. */
export interface LineBox {
  /** First column, and how many. */
  column: number;
  columns: number;
}

export interface LineLayout {
  regions: LineBox[];
  /** Rows of one cycle: 1, or the width of lines that were scanned as bands. */
  rowsPerCycle: number;
  cycles: number;
  /** Rows at the end that do not make a whole cycle. */
  restRows: number;
}

/** Line scans, of one line or of several. */
export const isLineScan = ({ methodType }: RawUnit): boolean => methodType === 6 || methodType === 7;

/**
 * Returns the lines of a page; `undefined` when `CoordinateMapJSON` does not describe lines that are in the page.
 * @param page rows and columns of the page
 */
export function linesOf(unit: RawUnit, page: { rows: number; columns: number }): LineLayout | undefined {
  const [map] = listOf(unit.attributes.json('CoordinateMapJSON')?.['maps']);
  const boxes = listOf(objectOf(map)?.['measurementROIs']);
  const regions: LineBox[] = [];
  let rowsPerCycle = 0;
  for (const box of boxes) {
    const [x0 = 0, y0 = 0] = cornerOf(box, 'lowerLeftFramePix');
    const [x1 = 0, y1 = 0] = cornerOf(box, 'upperRightFramePix');
    const isInside = x0 >= 1 && x1 >= x0 && x1 <= page.columns && y0 === 1 && y1 >= 1 && y1 <= page.rows;
    if (!isInside || (rowsPerCycle !== 0 && y1 !== rowsPerCycle)) return undefined;
    rowsPerCycle = y1;
    regions.push({ column: x0 - 1, columns: x1 - x0 + 1 });
  }
  if (regions.length === 0) return undefined;
  const cycles = Math.floor(page.rows / rowsPerCycle);
  return { regions, rowsPerCycle, cycles, restRows: page.rows % rowsPerCycle };
}

/** Returns a corner, 1-based; nothing unless it is two whole numbers. */
function cornerOf(box: unknown, name: string): number[] {
  const corner = listOf(objectOf(box)?.[name]).slice(0, 2).map(numberOf);
  return corner.every((value) => value !== undefined && Number.isInteger(value)) ? (corner as number[]) : [];
}

/** Returns the micrometers between the pixels of each line; `undefined` where `MultiROIProtocolJSON` does not state them. */
export function pixelSizesOf({ attributes }: RawUnit, lines: number): (number | undefined)[] {
  const document = attributes.json('MultiROIProtocolJSON');
  const protocol = objectOf(document?.['protocol']);
  const patterns = listOf(objectOf(document?.['scanPatterns'])?.['patterns']);
  // Since MESc 4.6 the number counts from 0, and is beside the list of scanners.
  const counted = numberOf(objectOf(protocol?.['scanners'])?.['mainPatternIndex']);
  const index = counted === undefined ? numberOf(protocol?.['mainPatternIndex']) : counted - 1;
  const size = objectOf(patterns[index ?? -1])?.['pixelSize'];
  return Array.from({ length: lines }, (_, line) => numberOf(Array.isArray(size) ? size[line] : size));
}
