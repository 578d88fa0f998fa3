import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import type { AcquisitionDocument, Pane } from './document.ts';
import { formatNumber } from './number-text.ts';

/** Says which steps were entered by hand, for pictures and files; null when none was. */
export function handNote(calibration: CalibrationOverride | null): string | null {
  const { T, Z, Y, X } = calibration ?? {};
  const inTime = Y?.unit === 'seconds';
  const parts = [
    T && `frame interval ${stepText(T)}`,
    Z && `section distance ${stepText(Z)}`,
    Y && `${inTime ? 'line period' : 'pixel height'} ${stepText(Y)}`,
    X && `${inTime || Y === undefined ? 'pixel size' : 'pixel width'} ${stepText(X)}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? null : `${parts.join(', ').replace(/, (?!.*, )/, ' and ')} entered by hand`;
}

/** Formats a step in the unit in which it is entered. */
function stepText({ step, unit }: NonNullable<CalibrationOverride['Y']>): string {
  return unit === 'seconds' ? `${formatNumber(step * 1000, 9)} ms` : `${formatNumber(step, 9)} µm`;
}

/** Returns the note on the steps of a pane. A reference image keeps those of the file. */
export function paneNote({ calibration }: AcquisitionDocument, { kind }: Pick<Pane, 'kind'>): string | null {
  return kind === 'source' ? handNote(calibration.value) : null;
}
