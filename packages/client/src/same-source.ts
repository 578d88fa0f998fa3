import type { OpenResponse } from './contract/open.js';

/** Returns the part of an open response that describes the file, without that of the session, as text to compare. */
export function sourceText({ source, header, plane, channels, reference, selection }: OpenResponse): string {
  // Files that were only copied or touched are compared by their samples.
  const { revision, ...file } = source;
  const withoutUrl = (channel: OpenResponse['channels'][number]) => ({ ...channel, dataUrl: null });
  return JSON.stringify([
    file,
    header,
    plane,
    channels.map(withoutUrl),
    reference && { ...reference, channels: reference.channels.map(withoutUrl) },
    selection ?? null,
  ]);
}
