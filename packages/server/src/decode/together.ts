/** Planes of several channels, read in one call. */
import type { Acquisition } from '@acquisition-store/readers/model/acquisition.js';
import { type BlockSource, BlockTarget } from '@acquisition-store/readers/model/samples/block-target.js';
import type { ChannelRequest, RowBand } from './types.js';

/**
 * Reads the same rows of several channels, in one pass of the file if the reader can.
 * @param shape of a plane, and the rows of it that are read
 * @param blocks memory with blocks of the channels in turns
 * @param scratch see `copyPiece`
 * @throws what the reader throws
 */
export async function readTogether(
  acquisition: Acquisition,
  plane: ChannelRequest & { together: readonly number[] },
  shape: { rows: number; columns: number; band: RowBand },
  blocks: BlockSource,
  scratch: ArrayBuffer,
): Promise<void> {
  const { together } = plane;
  const targets = together.map((_, i) => new BlockTarget(shape, everyNth(blocks, i, together.length), scratch));
  if (acquisition.readChannels && acquisition.readsOnce?.(plane.scene))
    await acquisition.readChannels(plane, together, targets);
  else
    for (const [i, target] of targets.entries())
      await acquisition.readPlane({ ...plane, channel: together[i]! }, target);
  for (const target of targets) target.finish();
}

/** Returns the blocks `first`, `first + step`, `first + 2 · step`, … as the memory of one plane. */
function everyNth(source: BlockSource, first: number, step: number): BlockSource {
  return {
    rowsPerBlock: source.rowsPerBlock,
    sampleType: source.sampleType,
    take: (index) => source.take(first + index * step),
    give: (index, rounding) => source.give(first + index * step, rounding),
  };
}
