import type { OpenRequest, OpenResponse } from '../../../src/contract/open.js';

/**
 * What opens the same again: channels only where they are not all. The whole selection: the path may be that of a part,
 * which opens at its own plane when a dimension is left out.
 */
export function requestOf({ source, channels, selection, header }: OpenResponse): OpenRequest {
  const indices = channels.map(({ index }) => index);
  const all = indices.length === header.numChannels && indices.every((index, position) => index === position);
  return {
    path: source.path,
    ...(all ? {} : { channelIndices: indices }),
    ...(selection ? { selection } : {}),
  };
}
