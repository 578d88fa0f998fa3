/** Position of the divider between two parts, as the fraction of the first part, 0 to 1. */

/** Min size of a part in CSS pixels; a smaller part is closed. */
const MIN_PART = 96;

/** Returns the nearest allowed position: a part that is too small is closed or gets its min size. */
export function settleDivider(share: number, length: number): number {
  if (!(length > 2 * MIN_PART)) return share < 1 / 3 ? 0 : share > 2 / 3 ? 1 : 0.5;
  const least = MIN_PART / length;
  if (share < least / 2) return 0;
  if (share > 1 - least / 2) return 1;
  return Math.min(Math.max(share, least), 1 - least);
}

interface DividerKey {
  readonly key: string;
  readonly shiftKey: boolean;
}

/**
 * Returns the position after a key, or null when dividers do not use the key. `open` is the position to which a closed
 * part reopens.
 */
export function dividerAfterKey(
  { key, shiftKey }: DividerKey,
  share: number,
  open: number,
  length: number,
): number | null {
  const least = length > 0 ? MIN_PART / length : 0;
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
