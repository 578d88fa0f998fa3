/** Fetches planes. No other module does. */
import type { NativeSamples } from '../../../client/index.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { Pane } from '../model/document.ts';
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

/** Types that are kept as they are. */
const SMALL_INTEGERS: ReadonlySet<string> = new Set(['uint8', 'int8', 'uint16', 'int16']);

/**
 * Fetches a plane: integers of 8 and 16 bits as they are in the file, everything else as float32.
 * @throws AcqClientError, or the reason of the signal
 */
export async function fetchPlane(
  acquisition: OpenedAcquisition,
  { kind, channel, t, z }: PlaneRequest,
  { signal, onProgress = () => undefined, onStart }: FetchOptions = {},
): Promise<Samples> {
  const options = { signal, onProgress };
  if (kind === 'reference') return acquisition.referencePlane(channel, options);
  const place = { ...(t === undefined ? {} : { t }), ...(z === undefined ? {} : { z }) };
  if (!isSmallInteger(acquisition)) return acquisition.plane(channel, { ...options, ...place });
  const start = (samples: NativeSamples) => onStart?.(toSamples(samples));
  return toSamples(await acquisition.nativePlane(channel, { ...options, ...place, onStart: start }));
}

/** Bytes of each sample of a plane in this page. */
export function sampleBytes(acquisition: OpenedAcquisition, kind: Pane['kind']): number {
  if (kind === 'reference' || !isSmallInteger(acquisition)) return 4;
  return acquisition.info.header.dtype.endsWith('8') ? 1 : 2;
}

function isSmallInteger({ info }: OpenedAcquisition): boolean {
  return SMALL_INTEGERS.has(info.header.dtype) && !info.projection;
}

function toSamples(samples: NativeSamples): Samples {
  if (samples instanceof Float32Array) return samples;
  if (samples instanceof Uint8Array || samples instanceof Int8Array) return samples;
  if (samples instanceof Uint16Array || samples instanceof Int16Array) return samples;
  throw new TypeError(`The server sent ${samples.constructor.name} instead of integers of 8 or 16 bits.`);
}
