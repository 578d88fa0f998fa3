/** Parts and analysis of planes: requests, and what they return. */
import type { ProfileResponse, Statistics } from './contract/analysis.js';
import { AcqClientError } from './errors.js';
import {
  LITTLE_ENDIAN,
  NATIVE_ARRAYS,
  type NativeDtype,
  type NativeSamples,
  type Progress,
  readBytes,
  toNativeSamples,
} from './plane-body.js';
import type { Call, Transport } from './transport.js';

/** Which plane of a channel; that of the open request when omitted. Counted from 0. */
export interface PlanePlace {
  /** Time point. */
  t?: number;
  /** Section. */
  z?: number;
}

/** A part of a plane: from the first row or column to the one before the last number. Everything when omitted. */
export interface PlaneWindow extends PlanePlace {
  rows?: readonly [first: number, end: number];
  columns?: readonly [first: number, end: number];
}

export interface WindowChoice extends PlaneWindow {
  /** Every r-th row and c-th column; `[1, 1]` when omitted. */
  every?: readonly [rows: number, columns: number];
}

export interface OverviewChoice extends PlaneWindow {
  /** Cells from top to bottom and from left to right; at most one for each row and column. 1,024 when omitted. */
  height?: number;
  width?: number;
}

export interface StatisticsChoice extends PlaneWindow {
  /** From 0 to 100. */
  percentiles?: readonly number[];
  /** Bins of the histogram; no histogram when omitted. */
  bins?: number;
  /** First and last edge of the histogram; the smallest and largest sample when omitted. */
  range?: readonly [low: number, high: number];
}

export interface ProfileChoice extends PlanePlace {
  /** Two or more `[row, column]` in pixels; whole numbers are centers of pixels. */
  points: readonly (readonly [row: number, column: number])[];
  /** Samples across the line that are averaged; 1 when omitted. */
  width?: number;
}

/** Samples along a line. All arrays have one length. */
export interface ProfileArrays {
  /** Distance of each sample from the first point, in the unit of both axes; in pixels when they have different ones. */
  distance: Float64Array;
  /** Where each sample lies, in pixels with fractions. */
  rows: Float64Array;
  columns: Float64Array;
  /** NaN outside the plane, and beside a sample that is not finite. */
  values: Float64Array;
}

export interface TracesChoice extends PlanePlace {
  /** Along the rows of a plane, or along all time points or sections. */
  along: 'Y' | 'T' | 'Z';
  /** Rows and columns, or pixels in runs from top to bottom; along `Y` columns only. */
  regions: readonly {
    rows?: readonly [first: number, end: number];
    columns?: readonly [first: number, end: number];
    runs?: readonly (readonly [row: number, first: number, end: number])[];
  }[];
  /** Rows or planes that become one value; 1 when omitted. */
  every?: number;
  statistic?: 'mean' | 'min' | 'max';
}

/** An array in row-major order. */
export interface PlaneArray<Samples extends NativeSamples = Float32Array<ArrayBuffer>> {
  /** Sizes, slowest dimension first. */
  shape: number[];
  samples: Samples;
}

/** An array in the type of the file: its samples are `bigint` for 64-bit integers. */
export type NativeArray = PlaneArray<NativeSamples>;

export type { ProfileResponse, Statistics };

/** Returns the query of a choice: lists are joined by a colon or commas. */
export function toQuery({
  t,
  z,
  rows,
  columns,
  ...more
}: WindowChoice & OverviewChoice & StatisticsChoice & { type?: 'native' }): string {
  const query = new URLSearchParams();
  if (t !== undefined) query.set('T', String(t));
  if (z !== undefined) query.set('Z', String(z));
  if (rows) query.set('rows', rows.join(':'));
  if (columns) query.set('columns', columns.join(':'));
  for (const [name, value] of Object.entries(more)) {
    const text = Array.isArray(value) ? value.join(',') : String(value);
    if (value !== undefined && text !== '') query.set(name, text);
  }
  // Servers read `:` and `,` as they are, and people read them better.
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

/** Returns the query of a plane. */
export function placeQuery(choice: OptionalPlace): string {
  return toQuery(place(choice));
}

type OptionalPlace = { [K in keyof PlanePlace]: PlanePlace[K] | undefined };

/** Returns the place without what is undefined. */
export function place({ t, z }: OptionalPlace): PlanePlace {
  return { ...(t === undefined ? {} : { t }), ...(z === undefined ? {} : { z }) };
}

/** Sends a request that answers with an array of float32. */
export async function readArray(transport: Transport, path: string, call: Call): Promise<PlaneArray> {
  const { shape, samples } = await readNativeArray(transport, path, call);
  if (samples instanceof Float32Array) return { shape, samples };
  throw new AcqClientError('not_this_server', 'The response is not an array of float32.');
}

/** Sends a request for a profile, which is answered with an array. */
export async function readProfile(transport: Transport, path: string, call: Call): Promise<ProfileArrays> {
  const { shape, samples } = await readNativeArray(transport, path, call, { name: 'The profile' });
  if (!(samples instanceof Float64Array) || shape[0] !== 4) {
    throw new AcqClientError('not_this_server', 'The response is not a profile as an array of float64.');
  }
  const [distance, rows, columns, values] = [0, 1, 2, 3].map((i) =>
    samples.subarray(i * shape[1]!, (i + 1) * shape[1]!),
  );
  return { distance: distance!, rows: rows!, columns: columns!, values: values! };
}

export interface ArrayOptions {
  /** For messages. */
  name?: string;
  /** Called with the array before anything has been received; it fills from its start. */
  onStart?: ((samples: NativeSamples) => void) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Sends a request that answers with an array. */
export async function readNativeArray(
  transport: Transport,
  path: string,
  call: Call,
  { name = 'The array', onStart, onProgress }: ArrayOptions = {},
): Promise<NativeArray> {
  const response = await transport.send(path, call);
  const shape = (response.headers.get('x-array-shape') ?? '').split(',').map(Number);
  if (shape.length < 1 || !shape.every((size) => Number.isSafeInteger(size) && size > 0)) {
    throw new AcqClientError('not_this_server', 'The response has no shape (X-Array-Shape).', {
      status: response.status,
    });
  }
  const dtype = response.headers.get('x-array-dtype') ?? '<f4';
  if (!isNativeDtype(dtype)) {
    throw new AcqClientError('not_this_server', `The response has samples of an unknown type (${dtype}).`);
  }
  const total = NATIVE_ARRAYS[dtype].BYTES_PER_ELEMENT * shape.reduce((product, size) => product * size, 1);
  let shown: NativeSamples | undefined;
  const show = (buffer: ArrayBuffer) => {
    shown = new NATIVE_ARRAYS[dtype](buffer);
    onStart?.(shown);
  };
  // Other machines get their byte order only after everything has been received.
  const isShown = LITTLE_ENDIAN && onStart !== undefined;
  try {
    const body = { name, total, onProgress, onStart: isShown ? show : undefined, signal: call.signal };
    const bytes = await readBytes(response, body);
    return { shape, samples: shown ?? toNativeSamples(bytes, dtype) };
  } catch (error) {
    throw await transport.failure(error, call);
  }
}

function isNativeDtype(dtype: string): dtype is NativeDtype {
  return Object.hasOwn(NATIVE_ARRAYS, dtype);
}
