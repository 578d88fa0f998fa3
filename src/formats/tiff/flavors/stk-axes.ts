import type { GridAxis } from '../../../metadata/mixed-radix.js';
import { plural } from '../../../wording.js';

/**
 * Axes of the planes of a stack, fastest first. Different wavelengths are channels when they repeat regularly: changing
 * with every plane, or one block per wavelength. All else is one axis of `rest`.
 */
export function planeAxes(
  count: number,
  wavelengths: readonly number[] | undefined,
  rest: 'Z' | 'T',
  warnings: string[],
): GridAxis[] {
  const distinct = new Set(wavelengths);
  const channels = distinct.size;
  if (!wavelengths || channels < 2 || wavelengths.some(Number.isNaN)) return [{ kind: rest, size: count }];
  const steps = count / channels;
  if (Number.isInteger(steps)) {
    if (wavelengths.every((wavelength, i) => wavelength === wavelengths[i % channels])) {
      return [
        { kind: 'C', size: channels },
        { kind: rest, size: steps },
      ];
    }
    if (wavelengths.every((wavelength, i) => wavelength === wavelengths[Math.floor(i / steps) * steps])) {
      return [
        { kind: rest, size: steps },
        { kind: 'C', size: channels },
      ];
    }
  }
  warnings.push(
    `${plural(channels, 'wavelength')} in no regular order over ${plural(count, 'plane')}; the planes are shown along ${rest}`,
  );
  return [{ kind: rest, size: count }];
}
