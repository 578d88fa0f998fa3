/** Regions of marks as the server follows them. */
import { markBounds, markRegion } from '../measure/mark-region.ts';
import { markName } from '../measure/marks.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { Mark, Shape } from '../model/document.ts';

/** Rows and columns, or the runs of another shape. */
type Region = Parameters<OpenedAcquisition['traces']>[1]['regions'][number];

/** Regions that the server accepts in one request, and runs of one of them. */
const MAX_REGIONS = 64;
const MAX_RUNS = 4_096;
/** Max characters of the regions of one request: the server limits the length of a body. */
const MAX_BODY = 60_000;

/**
 * Returns the regions of marks in as many parts as requests are needed; whole columns along the lines of a scan.
 * @throws RangeError for a shape with too many rows
 */
export function traceRequests(marks: readonly Mark[], shape: Shape, isAlongLines: boolean): Region[][] {
  const parts: Region[][] = [];
  let left = 0;
  for (const mark of marks) {
    const region = isAlongLines ? { columns: markBounds(mark, shape).columns } : toRegion(mark, shape);
    const length = JSON.stringify(region).length + 1;
    if (length > MAX_BODY || (region.runs?.length ?? 0) > MAX_RUNS) {
      throw new RangeError(`${markName(mark)} has too many rows for a trace. Draw a rectangle instead.`);
    }
    if (length > left || parts.at(-1)!.length === MAX_REGIONS) {
      parts.push([]);
      left = MAX_BODY;
    }
    parts.at(-1)!.push(region);
    left -= length;
  }
  return parts;
}

function toRegion(mark: Mark, shape: Shape): Region {
  const { rows, columns, runs } = markRegion(mark, shape);
  if (runs === undefined) return { rows, columns };
  const run = (at: number) => [runs[3 * at]!, runs[3 * at + 1]!, runs[3 * at + 2]!] as const;
  return { runs: Array.from({ length: runs.length / 3 }, (_, at) => run(at)) };
}
