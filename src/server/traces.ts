/** Runs requests for traces: along the rows of one plane, or along the planes of a channel. */
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { type ColumnRange, lineTraces, PlaneTraces, type TraceOptions } from '../analysis/traces.js';
import type { Window } from '../analysis/window.js';
import type { TracesRequest } from '../contract/analysis.js';
import { AcqError } from '../errors.js';
import type { PlaneData } from '../planes/plane-data.js';
import type { SessionPlane } from '../sessions/types.js';
import { checkSpan } from './analysis-input.js';
import { clientSignal, untilStopped } from './client-signal.js';
import type { AppDependencies } from './dependencies.js';
import { pinPlane } from './routes/data.js';

type Regions = Static<typeof TracesRequest>['regions'];

/** Runs a computation, and stops it when the client has left. */
export type Compute = <T>(reply: FastifyReply, computation: Generator<void, T>) => Promise<T>;

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
  const ranges = regions.map(({ rows, columns }, i): ColumnRange => {
    if (rows !== undefined) {
      throw new AcqError(
        'region_out_of_range',
        `\`regions[${i}].rows\`: along Y, a region has all rows. Omit \`rows\`.`,
      );
    }
    const [first, end] = toSpan(`regions[${i}].columns`, columns, data.columns);
    return { first, end };
  });
  return { regions: ranges.length, values: await compute(reply, lineTraces(data, ranges, options)) };
}

/** Decodes one plane after the other, so that memory for one of them is enough. */
export async function tracePlanes(
  { sessions, stopping }: AppDependencies,
  address: SessionPlane,
  { regions, along, ...options }: TraceOptions & { regions: Regions; along: 'T' | 'Z' },
  reply: FastifyReply,
  compute: Compute,
): Promise<TracesResult> {
  const { header, plane } = sessions.acquisition(address.sessionId);
  const count = header.sizes[along];
  if (count === undefined) {
    throw new AcqError('selection_out_of_range', `\`along\` is ${along}, but the file has no dimension ${along}.`);
  }
  const [rows, columns] = plane.shape as [number, number];
  const windows = regions.map((region, i) => toWindow(`regions[${i}]`, region, { rows, columns }));
  const traces = new PlaneTraces(windows, count, options);
  const signal = clientSignal(reply, stopping);
  for (let i = 0; i < count; i++) {
    const place = along === 'T' ? { t: i } : { z: i };
    const pinned = await untilStopped(stopping, () => sessions.plane({ ...address, ...place }, signal));
    try {
      await compute(reply, traces.add(pinned.data));
    } finally {
      pinned.release();
    }
  }
  return { regions: windows.length, values: traces.values };
}

function toWindow(
  name: string,
  { rows, columns }: Regions[number],
  plane: Pick<PlaneData, 'rows' | 'columns'>,
): Window {
  const [firstRow, endRow] = toSpan(`${name}.rows`, rows, plane.rows);
  const [firstColumn, endColumn] = toSpan(`${name}.columns`, columns, plane.columns);
  return { firstRow, endRow, firstColumn, endColumn };
}

function toSpan(name: string, span: readonly number[] | undefined, size: number): [first: number, end: number] {
  if (span === undefined) return [0, size];
  const [first, end] = span as [number, number];
  return checkSpan(`\`${name}\` ${first}:${end}`, first, end, size);
}
