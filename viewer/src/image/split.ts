/** Where the divider between two parts stands, as the share of the first, 0 to 1. */

/** Neither part is shown smaller than this; it is closed instead. CSS pixels. */
export const LEAST_PART = 96;

/** The nearest place that the divider may take: a part that would be too small is closed, or kept at its least size. */
export function settleDivider(share: number, length: number): number {
  if (!(length > 2 * LEAST_PART)) return share < 1 / 3 ? 0 : share > 2 / 3 ? 1 : 0.5;
  const least = LEAST_PART / length;
  if (share < least / 2) return 0;
  if (share > 1 - least / 2) return 1;
  return Math.min(Math.max(share, least), 1 - least);
}

export interface DividerKey {
  readonly key: string;
  readonly shiftKey: boolean;
}

/** Place after a key, or null when the key is not for dividers. `open`: place to return to from a closed part. */
export function dividerAfterKey(
  { key, shiftKey }: DividerKey,
  share: number,
  open: number,
  length: number,
): number | null {
  const least = length > 0 ? LEAST_PART / length : 0;
  const step = shiftKey ? 0.1 : 0.02;
  switch (key) {
    case 'ArrowUp':
    case 'ArrowLeft':
      if (share === 1) return settleDivider(1 - least, length);
      return share <= least + 1e-9 ? 0 : settleDivider(Math.max(share - step, least), length);
    case 'ArrowDown':
    case 'ArrowRight':
      if (share === 0) return settleDivider(least, length);
      return share >= 1 - least - 1e-9 ? 1 : settleDivider(Math.min(share + step, 1 - least), length);
    case 'Home':
      return 0;
    case 'End':
      return 1;
    case 'Enter':
      return share === 0 || share === 1 ? settleDivider(open, length) : 0;
    default:
      return null;
  }
}
