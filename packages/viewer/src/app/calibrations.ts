/** Steps that the user has entered because a file lacks them or they are wrong. Kept in this browser by path. */
import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import { readStored, writeStored } from './stored.ts';

const KEY = 'calibrations';
/** Files whose steps are kept; the one entered longest ago is forgotten first. */
const MAX_FILES = 200;

type KeptCalibration = readonly [path: string, calibration: CalibrationOverride];

/** Returns what was entered for a file; null without. */
export function readCalibration(path: string): CalibrationOverride | null {
  return readEntries().find(([entry]) => entry === path)?.[1] ?? null;
}

/** Keeps the steps of a file, or forgets them when null. */
export function writeCalibration(path: string, calibration: CalibrationOverride | null): void {
  const rest = readEntries().filter(([entry]) => entry !== path);
  writeStored(KEY, calibration === null ? rest : [...rest, [path, calibration]].slice(-MAX_FILES));
}

/** Anything may be stored; entries that are not valid are ignored. */
function readEntries(): KeptCalibration[] {
  const stored = readStored(KEY);
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry: unknown): KeptCalibration[] => {
    if (!Array.isArray(entry) || typeof entry[0] !== 'string') return [];
    const calibration = toCalibration(entry[1]);
    return calibration === null ? [] : [[entry[0], calibration]];
  });
}

/** Checks steps from storage or a link; null when none is valid. */
export function toCalibration(value: unknown): CalibrationOverride | null {
  if (typeof value !== 'object' || value === null) return null;
  const { T, Z, Y, X } = value as Record<string, unknown>;
  const calibration = {
    ...toStep('T', T, ['seconds']),
    ...toStep('Z', Z, ['micrometer']),
    ...toStep('Y', Y),
    ...toStep('X', X),
  };
  return Object.keys(calibration).length === 0 ? null : calibration;
}

const UNITS = ['seconds', 'micrometer'];

function toStep(
  name: keyof CalibrationOverride,
  value: unknown,
  units: readonly unknown[] = UNITS,
): CalibrationOverride {
  if (typeof value !== 'object' || value === null) return {};
  const { step, unit } = value as Record<string, unknown>;
  if (typeof step !== 'number' || !(step > 0) || !Number.isFinite(step)) return {};
  return units.includes(unit) ? { [name]: { step, unit } } : {};
}
