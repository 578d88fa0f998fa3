/** Runs requests for traces: along the rows of one plane, or along the planes of a channel. */

import type { TracesRequest } from '@acquisition-store/client/contract/analysis.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import {
  type ColumnRange,
  lineTraces,
  type PlaneRegion,
  PlaneTraces,
  type TraceOptions,
} from '@acquisition-store/readers/derive/analysis/traces.js';
import type { PlaneData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { SessionPlane } from '../sessions/types.js';
import { toWindow } from './analysis-input.js';
import { clientSignal, untilStopped } from './client-signal.js';
import type { Compute } from './compute.js';
import type { AppDependencies } from './dependencies.js';
import { holdUntilSent } from './held-memory.js';
import { pinPlane } from './routes/data.js';

type Regions = Static<typeof TracesRequest>['regions'];

export interface TracesResult {
  regions: number;
  /** `regions` rows. */
  values: Float32Array<ArrayBuffer>;
}

export async function traceLines(
  deps: AppDependencies,
  address: SessionPlane,
  { regions, ...options }: TraceOptions & { regions: Regions },
  reply: FastifyReply,
  compute: Compute,
): Promise<TracesResult> {
  const data = await pinPlane(deps, address, reply);
  const ranges = regions.map((region, i): ColumnRange => {
    for (const name of ['rows', 'runs'] as const) {
      if (region[name] === undefined) continue;
      throw new AcqError(
        'region_out_of_range',
        `\`regions[${i}].${name}\`: along Y, a region has all rows. Omit \`${name}\`.`,
      );
    }
    const { firstColumn, endColumn } = toRegion(region, i, data);
    return { first: firstColumn, end: endColumn };
  });
  await holdUntilSent(deps, reply, valueBytes(ranges.length, data.rows, options));
  return {
    regions: ranges.length,
    values: await compute(address.sessionId, clientSignal(reply, deps.stopping), lineTraces(data, ranges, options)),
  };
}

/** Decodes one plane after the other, so that memory for one of them is enough. */
export async function tracePlanes(
  deps: AppDependencies,
  address: SessionPlane,
  { regions, along, ...options }: TraceOptions & { regions: Regions; along: 'T' | 'Z' },
  reply: FastifyReply,
  compute: Compute,
): Promise<TracesResult> {
  const { sessions, stopping } = deps;
  const { header, plane, projection } = sessions.acquisition(address.sessionId);
  const count = header.sizes[along];
  if (count === undefined) {
    throw new AcqError('selection_out_of_range', `\`along\` is ${along}, but the file has no dimension ${along}.`);
  }
  if (projection?.[along] !== undefined) {
    throw new AcqError(
      'selection_out_of_range',
      `\`along\` is ${along}, but the session is a projection along ${along}.`,
    );
  }
  const [rows, columns] = plane.shape as [number, number];
  const windows = regions.map((region, i) => toRegion(region, i, { rows, columns }));
  await holdUntilSent(deps, reply, valueBytes(windows.length, count, options));
  const traces = new PlaneTraces(windows, count, options);
  const signal = clientSignal(reply, stopping);
  for (let i = 0; i < count; i++) {
    const place = along === 'T' ? { t: i } : { z: i };
    const pinned = await untilStopped(stopping, () => sessions.plane({ ...address, ...place }, signal));
    try {
      await compute(address.sessionId, signal, traces.add(pinned.data));
    } finally {
      pinned.release();
    }
  }
  return { regions: windows.length, values: traces.values };
}

function valueBytes(regions: number, positions: number, { every }: TraceOptions): number {
  return Float32Array.BYTES_PER_ELEMENT * regions * Math.ceil(positions / every);
}

function toRegion(region: Regions[number], index: number, plane: Pick<PlaneData, 'rows' | 'columns'>): PlaneRegion {
  if (region.runs !== undefined) return toRuns(region, region.runs, index, plane);
  return toWindow(region, plane, (name, [first, end]) => `\`regions[${index}].${name}\` ${first}:${end}`);
}

/** Returns a region of runs with the window around them. */
function toRuns(
  { rows, columns }: Regions[number],
  runs: readonly number[][],
  index: number,
  plane: Pick<PlaneData, 'rows' | 'columns'>,
): PlaneRegion {
  const refuse = (text: string) => new AcqError('region_out_of_range', `\`regions[${index}].runs\`: ${text}`);
  if (rows !== undefined || columns !== undefined) throw refuse('omit `rows` and `columns` beside `runs`.');
  let [firstColumn, endColumn] = [plane.columns, 0];
  let before = { row: 0, end: 0 };
  for (const run of runs) {
    const [row, first, end] = run as [number, number, number];
    if (row >= plane.rows || first >= end || end > plane.columns) {
      throw refuse(`the run ${row}, ${first}:${end} is empty or outside the plane.`);
    }
    if (row < before.row || (row === before.row && first < before.end)) {
      throw refuse(`the run ${row}, ${first}:${end} is not below or to the right of the run before it.`);
    }
    before = { row, end };
    firstColumn = Math.min(firstColumn, first);
    endColumn = Math.max(endColumn, end);
  }
  return { firstRow: runs[0]![0]!, endRow: before.row + 1, firstColumn, endColumn, runs };
}
