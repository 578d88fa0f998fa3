import type { GridAxis } from '../../../metadata/mixed-radix.js';
import { plural } from '../../../wording.js';

/**
 * Returns the axes of the planes of a stack, fastest first. Different wavelengths are channels if they repeat regularly,
 * either changing with every plane or in one block per wavelength. Otherwise all planes are on the axis `rest`.
 */
export function planeAxes(
  count: number,
  wavelengths: readonly number[] | undefined,
  rest: 'Z' | 'T',
): { axes: GridAxis[]; note?: string } {
  const distinct = new Set(wavelengths);
  const channels = distinct.size;
  if (!wavelengths || channels < 2 || wavelengths.some(Number.isNaN)) return { axes: [{ kind: rest, size: count }] };
  const steps = count / channels;
  if (Number.isInteger(steps)) {
    if (wavelengths.every((wavelength, i) => wavelength === wavelengths[i % channels])) {
      return {
        axes: [
          { kind: 'C', size: channels },
          { kind: rest, size: steps },
        ],
      };
    }
    if (wavelengths.every((wavelength, i) => wavelength === wavelengths[Math.floor(i / steps) * steps])) {
      return {
        axes: [
          { kind: rest, size: steps },
          { kind: 'C', size: channels },
        ],
      };
    }
  }
  const note = `${plural(channels, 'wavelength')} over ${plural(count, 'plane')} do not repeat regularly. Showing the planes along ${rest}.`;
  return { axes: [{ kind: rest, size: count }], note };
}
