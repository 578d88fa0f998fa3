import type { OpenRequest, OpenResponse } from '../../../src/contract/open.js';

/** What opens the same again: channels and selection only where they are not what one gets anyway. */
export function requestOf({ source, channels, selection, header }: OpenResponse): OpenRequest {
  const indices = channels.map(({ index }) => index);
  const all = indices.length === header.numChannels && indices.every((index, position) => index === position);
  const chosen = Object.entries(selection ?? {}).filter(([, index]) => index !== 0);
  return {
    path: source.path,
    ...(all ? {} : { channelIndices: indices }),
    ...(chosen.length > 0 ? { selection: Object.fromEntries(chosen) } : {}),
  };
}
