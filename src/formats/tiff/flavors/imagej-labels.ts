import type { ImageJMetadata } from './imagej-items.js';

/**
 * Returns the slice labels (UTF-16), one per plane, or none.
 * @param limit labels that are decoded at most
 */
export function imageJLabels(metadata: ImageJMetadata | undefined, limit: number): string[] {
  const decoder = new TextDecoder(metadata?.littleEndian ? 'utf-16le' : 'utf-16be');
  return (metadata?.items('labl', limit) ?? []).map((item) => decoder.decode(item));
}

/**
 * Returns channel names from slice labels: the label that all planes of a channel share, if each channel has its own.
 * @param channelAt returns the channel of a plane by its index
 */
export function namesFromLabels(
  labels: readonly string[],
  channels: number,
  channelAt: (plane: number) => number,
): (string | undefined)[] {
  const names = new Array<string | undefined>(channels).fill(undefined);
  for (const [plane, label] of labels.entries()) {
    const channel = channelAt(plane);
    const name = label.trim();
    if (channel >= channels || name === '' || (names[channel] ?? name) !== name) return [];
    names[channel] = name;
  }
  const distinct = new Set(names);
  return distinct.size === channels && !distinct.has(undefined) ? names : [];
}
