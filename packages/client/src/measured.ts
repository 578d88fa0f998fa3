/** Measured times and positions: along axes, and plane by plane. */

import { readNativeArray } from './analysis.js';
import type { PlaneTable } from './contract/coordinates.js';
import type { Header } from './contract/open.js';
import { AcqClientError } from './errors.js';
import type { Transport } from './transport.js';

/** One value for each index of an axis, from the first that is known; `NaN` where the file has none. */
export type MeasuredValues = { [axis in 'T' | 'Z' | 'Y']?: Float64Array };

/** Columns of one length; `NaN` where the file has no value, and no column where it has none at all. */
export type PlaneColumns = Record<'T' | 'Z' | 'C', Float64Array> & {
  [column in 'time' | 'exposure' | 'x' | 'y' | 'z']?: Float64Array;
};

/** Values of an axis, and rows of a table, in one answer. */
const ROWS = 100_000;

export async function readCoordinates(
  transport: Transport,
  path: string,
  { coordinates = {}, sizes }: Header,
  options: { signal?: AbortSignal | undefined },
): Promise<MeasuredValues> {
  const values: MeasuredValues = {};
  for (const axis of Object.keys(coordinates) as (keyof MeasuredValues)[]) {
    values[axis] = await readAxis(transport, `${path}/coordinates?axis=${axis}&as=raw`, sizes[axis] ?? 0, options);
  }
  return values;
}

async function readAxis(
  transport: Transport,
  address: string,
  size: number,
  { signal }: { signal?: AbortSignal | undefined },
) {
  const all = new Float64Array(size);
  for (let from = 0; from < size; from += ROWS) {
    const { samples } = await readNativeArray(transport, `${address}&from=${from}`, { signal });
    if (!(samples instanceof Float64Array)) {
      throw new AcqClientError('not_this_server', 'The response is not an array of float64.');
    }
    all.set(samples, from);
  }
  return all;
}

export async function readPlanes(
  transport: Transport,
  path: string,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<PlaneColumns> {
  const columns: Record<string, Float64Array> = {};
  for (let from = 0, total = 1; from < total; from += ROWS) {
    const table: PlaneTable = await transport.json(`${path}/planes?from=${from}&count=${ROWS}`, { signal });
    total = table.total;
    for (const [name, values] of Object.entries(table.columns)) {
      columns[name] ??= new Float64Array(total).fill(Number.NaN);
      columns[name].set(
        Array.from(values as (number | null)[], (value) => value ?? Number.NaN),
        from,
      );
    }
  }
  return columns as PlaneColumns;
}
