import type { OpenResponse } from '#contract/open.js';

/** What an open response says about the file, without what belongs to the session alone. */
export function sourceText({ source, header, plane, channels, reference, selection }: OpenResponse): string {
  const own = (channel: OpenResponse['channels'][number]) => ({ ...channel, dataUrl: null });
  return JSON.stringify([
    source,
    header,
    plane,
    channels.map(own),
    reference && { ...reference, channels: reference.channels.map(own) },
    selection ?? null,
  ]);
}
