import type { ByteSource } from '../../io/byte-source.js';
import { readRows } from '../../io/read-rows.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';

/**
 * Reads one of `channels` channels. Samples are little-endian int16; the channel changes fastest, then the sample, then
 * the cycle.
 */
export function readChannel(
  source: ByteSource,
  { channel, channels }: { channel: number; channels: number },
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const rows = { offset: 2 * channel, sampleType: 'int16', littleEndian: true, interleaved: channels } as const;
  readRows(source, rows, target, signal);
}
