import type { OpenRequest, OpenResponse } from '@acquisition-store/client/contract/open.js';

/**
 * Returns the request that opens the same acquisition again. Channels are included unless all are open. The selection
 * is complete, because the path of a part would otherwise open at its own plane.
 */
export function toRequest({
  source,
  channels,
  selection,
  projection,
  interpret,
  parts,
  header,
}: OpenResponse): OpenRequest {
  const indices = channels.map(({ index }) => index);
  const all = indices.length === header.numChannels && indices.every((index, position) => index === position);
  return {
    path: source.path,
    ...(all ? {} : { channelIndices: indices }),
    ...(selection ? { selection } : {}),
    ...(projection ? { projection } : {}),
    ...(interpret ? { interpret } : {}),
    ...(parts ? { parts } : {}),
  };
}
