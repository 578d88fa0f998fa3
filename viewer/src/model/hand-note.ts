import type { CalibrationOverride } from '../../../src/contract/open.js';

/** Says which steps were entered by hand, for figures and files; null when none was. */
export function handNote(calibration: CalibrationOverride | null): string | null {
  const parts = [
    calibration?.Y && (calibration.Y.unit === 'seconds' ? 'line period' : 'pixel height'),
    calibration?.X && (calibration.Y?.unit === 'seconds' || calibration.Y === undefined ? 'pixel size' : 'pixel width'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? null : `${parts.join(' and ')} entered by hand`;
}
