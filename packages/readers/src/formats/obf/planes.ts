/** The planes of a stack. */

import { type Direction, planReads } from '../../hdf5/lattice.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import { toHostWords, viewAs } from '../../model/samples/host-words.js';
import { Pace } from '../../model/samples/pace.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { storedBytes } from '../../model/samples/types.js';
import type { ObfAxis } from './axes.js';
import type { StackReader } from './data.js';
import type { ObfScene } from './metadata.js';

/** @throws AcqError `decode_failed` */
export async function readPlane(
  reader: StackReader,
  scene: ObfScene,
  address: Omit<PlaneAddress, 'scene'>,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const { axes, samples, info, data } = scene;
  const size = storedBytes(info.sampleType);
  const strides = stridesOf(scene, size);
  const direction = (dimension: number | undefined, count: number): Direction => ({
    count,
    stride: dimension === undefined ? samples * size : strides[dimension]!,
  });
  const start = offsetOf(scene, strides, address, size);
  const fill = await reader.open(data);
  const pace = new Pace(signal);
  let buffer = new Uint8Array();
  for (const piece of planReads(direction(axes.rows, target.rows), direction(axes.columns, target.columns), size)) {
    if (target.wants?.(piece.row, piece.rows) === false) continue;
    if (buffer.length < piece.bytes) buffer = new Uint8Array(piece.bytes);
    const bytes = buffer.subarray(0, piece.bytes);
    fill(bytes, start + piece.offset);
    const words = toHostWords(bytes, 8 * size, Math.floor(piece.bytes / size), true);
    const { row, column, rows, columns, rowStride, columnStride } = piece;
    target.put(
      { samples: viewAs(words, info.sampleType), offset: 0, rowStride, columnStride },
      row,
      column,
      rows,
      columns,
    );
    if (pace.due) await pace.rest();
  }
}

/** Returns the bytes between neighbors along each dimension. The first one is the fastest. */
function stridesOf({ raw, samples }: ObfScene, size: number): number[] {
  let stride = samples * size;
  return raw.sizes.map((count) => {
    const own = stride;
    stride *= count;
    return own;
  });
}

/** Several dimensions of one axis count together, the first one fastest. */
function offsetOf(
  { raw, axes, samples }: ObfScene,
  strides: readonly number[],
  { channel, t, z }: Omit<PlaneAddress, 'scene'>,
  size: number,
): number {
  const rest: Partial<Record<ObfAxis, number>> = { T: t, Z: z, C: Math.floor(channel / samples) };
  let offset = (channel % samples) * size;
  for (const [k, count] of raw.sizes.entries()) {
    const axis = axes.axes[k];
    if (axis === undefined || k === axes.rows || k === axes.columns) continue;
    const number = rest[axis] ?? 0;
    offset += (number % count) * strides[k]!;
    rest[axis] = Math.floor(number / count);
  }
  return offset;
}
