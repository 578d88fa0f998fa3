import { shorten } from '../../../base/wording.js';
import type { ImageJCalibration } from './imagej-text.js';

/** Functions of `ij.measure.Calibration` that are not polynomials, by their number. */
const FUNCTIONS: Record<number, string> = {
  4: 'exponential',
  5: 'power',
  6: 'logarithmic',
  7: 'Rodbard',
  8: 'gamma variate',
  9: 'logarithmic',
  10: 'inverse Rodbard',
  11: 'exponential with offset',
  12: 'Gaussian',
  13: 'exponential recovery',
};
const UNCALIBRATED_OD = 21;
/** Numbers 0 to 3 are polynomials of the degrees 1 to 4. */
const LAST_POLYNOMIAL = 3;
const POWERS = ['', ' × stored value', ' × stored value²', ' × stored value³', ' × stored value⁴'];

/** Returns a warning that ImageJ shows other values than those stored; `undefined` when it does not. */
export function describeCalibration(calibration: ImageJCalibration | undefined): string | undefined {
  if (!calibration) return undefined;
  const { kind, coefficients, unit } = calibration;
  const [c0, c1] = coefficients;
  if (kind === 0 && c0 === 0 && c1 === 1) return undefined;
  const isNamed = unit !== undefined && !/^(gray value|)$/i.test(unit);
  const suffix = `${isNamed ? ` (${shorten(unit)})` : ''}; the stored values are served.`;
  if (kind === UNCALIBRATED_OD) return `ImageJ shows these values as uncalibrated optical density${suffix}`;
  if (kind >= 0 && kind <= LAST_POLYNOMIAL) {
    // The degree is one more than the number of the function.
    const terms = coefficients.slice(0, kind + 2).map((value, power) => `${value}${POWERS[power]}`);
    return `ImageJ shows these values as ${terms.join(' + ')}${suffix}`;
  }
  const name = FUNCTIONS[kind] ?? `number ${kind}`;
  return `ImageJ shows these values by a function (${name}) with the coefficients ${coefficients.join(', ')}${suffix}`;
}
