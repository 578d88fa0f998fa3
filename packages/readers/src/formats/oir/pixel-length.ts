import type { RawOirChannel, RawProperties } from './properties.js';

const DEFAULT_UNIT = 'MICRO_METER';

/** Returns the length of a pixel that the file states for a channel, else for another one or the acquisition. */
export function pixelLength(
  properties: RawProperties,
  channel: string | undefined,
  axis: 'X' | 'Y',
): { value: number | undefined; unit: string } {
  const stated = properties.channels.find(({ id, lengthX }) => id === channel && lengthX !== undefined);
  const described = stated ?? properties.channels.find(({ lengthX }) => lengthX !== undefined);
  const { length, unit } = findLength(described, axis);
  if (length !== undefined && length !== 0) return { value: length, unit: unitText(unit) };
  const resolution = axis === 'X' ? properties.resolutionX : properties.resolutionY;
  return { value: resolution ?? length, unit: unitText(DEFAULT_UNIT) };
}

function findLength(channel: RawOirChannel | undefined, axis: 'X' | 'Y'): { length: number | undefined; unit: string } {
  if (axis === 'X') return { length: channel?.lengthX, unit: channel?.unitX ?? '' };
  return { length: channel?.lengthY, unit: channel?.unitY || (channel?.unitX ?? '') };
}

/** Converts `NANO_METER` to `nanometer`. */
function unitText(unit: string): string {
  return (unit || DEFAULT_UNIT).replaceAll('_', '').toLowerCase();
}
