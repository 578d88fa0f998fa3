import { decodeFailed } from '../base/errors.js';
import { type InflateJob, platform } from '../base/platform.js';
import { grouped } from '../base/wording.js';
import type { OutputSize } from './types.js';

/**
 * Has the platform inflate a stream within the size of its output.
 * @param name what messages call the data
 * @throws AcqError `decode_failed` for corrupted data and for more than the limit
 */
export function inflateByPlatform(
  name: string,
  data: Uint8Array,
  { limit, expected }: OutputSize,
  kind: Pick<InflateJob, 'wrapper' | 'allowsTruncated'>,
): Uint8Array {
  const bytes = attempt(name, () => platform().inflate.inflate(data, { ...kind, limit, expected }));
  if (bytes !== 'too large') return bytes;
  throw decodeFailed(`${name} data decompress to more than the expected ${grouped(expected)} bytes`);
}

function attempt<T>(name: string, inflate: () => T): T {
  try {
    return inflate();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw decodeFailed(`${name} data are corrupted (${reason})`, error);
  }
}
