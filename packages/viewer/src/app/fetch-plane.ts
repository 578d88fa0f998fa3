/** Fetches planes. No other module does. */
import type { NativeSamples } from '@acquisition-store/client';
import { isSmallInteger } from '@acquisition-store/readers/model/samples/types.js';
import type { PlaneRegion } from '../analysis/region.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { Pane, Shape } from '../model/document.ts';
import type { FarRegion } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';

export interface PlaneRequest {
  readonly kind: Pane['kind'];
  /** Index of the channel in the file. */
  readonly channel: number;
  /** Time point and section, for planes of the source; those of the session when omitted. */
  readonly t?: number | undefined;
  readonly z?: number | undefined;
}

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { received: number; total: number }) => void) | undefined;
  /**
   * Called when samples begin to arrive, with the array that they fill from its start. May be called again, with another
   * array, or never.
   */
  readonly onStart?: ((samples: Samples) => void) | undefined;
}

/**
 * Fetches a plane: integers of 8 and 16 bits as they are in the file, everything else as float32.
 * @throws AcqClientError, or the reason of the signal
 */
export async function fetchPlane(
  acquisition: OpenedAcquisition,
  { kind, channel, t, z }: PlaneRequest,
  { signal, onProgress, onStart }: FetchOptions = {},
): Promise<Samples> {
  const options = { signal, ...(onProgress && { onProgress }) };
  if (kind === 'reference') return acquisition.referencePlane(channel, options);
  const place = toPlace(t, z);
  if (!isKeptSmall(acquisition)) return acquisition.plane(channel, { ...options, ...place });
  const start = onStart && { onStart: (samples: NativeSamples) => onStart(toSamples(samples)) };
  return toSamples(await acquisition.nativePlane(channel, { ...options, ...place, ...start }));
}

/**
 * Fetches the samples of a part of a source plane, in the type that `fetchPlane` has.
 * @throws AcqClientError, or the reason of the signal
 */
export async function fetchWindow(
  acquisition: OpenedAcquisition,
  { channel, t, z }: PlaneRequest,
  { rows, columns }: PlaneRegion,
  signal: AbortSignal,
): Promise<FarRegion> {
  const choice = { rows, columns, ...toPlace(t, z) };
  const { samples } = isKeptSmall(acquisition)
    ? await acquisition.nativeWindow(channel, choice, { signal })
    : await acquisition.window(channel, choice, { signal });
  return { rows, columns, shape: [rows[1] - rows[0], columns[1] - columns[0]], data: toSamples(samples) };
}

/**
 * Fetches the smallest, largest and mean sample of the cells of a grid over a part of a source plane.
 * @throws AcqClientError, or the reason of the signal
 */
export async function fetchOverview(
  acquisition: OpenedAcquisition,
  { channel, t, z }: PlaneRequest,
  { rows, columns }: PlaneRegion,
  [height, width]: Shape,
  signal: AbortSignal,
): Promise<FarRegion> {
  const choice = { rows, columns, height, width, ...toPlace(t, z) };
  const { samples } = await acquisition.overview(channel, choice, { signal });
  const size = height * width;
  const [low, high, mean] = [0, 1, 2].map((i) => samples.subarray(i * size, (i + 1) * size)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  // How many samples of a cell are finite is not known; most often all.
  const each = Math.max(1, Math.round(((rows[1] - rows[0]) * (columns[1] - columns[0])) / size));
  const count = new Uint32Array(size).fill(each);
  for (let i = 0; i < size; i++) {
    if (!Number.isNaN(mean[i])) continue;
    [low[i], high[i], mean[i], count[i]] = [Infinity, -Infinity, 0, 0];
  }
  return { rows, columns, shape: [height, width], data: { rows: height, columns: width, low, high, mean, count } };
}

function toPlace(t: number | undefined, z: number | undefined) {
  return { ...(t === undefined ? {} : { t }), ...(z === undefined ? {} : { z }) };
}

/** Bytes of each sample of a plane in this page. */
export function sampleBytes(acquisition: OpenedAcquisition, kind: Pane['kind']): number {
  if (kind === 'reference' || !isKeptSmall(acquisition)) return 4;
  return acquisition.info.header.dtype.endsWith('8') ? 1 : 2;
}

function isKeptSmall({ info }: OpenedAcquisition): boolean {
  return isSmallInteger(info.header.dtype) && !info.projection;
}

function toSamples(samples: NativeSamples): Samples {
  if (samples instanceof Float32Array) return samples;
  if (samples instanceof Uint8Array || samples instanceof Int8Array) return samples;
  if (samples instanceof Uint16Array || samples instanceof Int16Array) return samples;
  throw new TypeError(`The server sent ${samples.constructor.name} instead of integers of 8 or 16 bits.`);
}
