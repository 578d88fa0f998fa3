import type { Notes } from '../../base/notes.js';
import type { OlympusSettings } from '../../io/olympus-settings.js';
import type { Step } from '../../model/acquisition.js';
import { defaultStep, fileStep } from '../../model/metadata/steps.js';
import type { RawOifAxis } from './parse.js';

/** Returns the pixel size that the properties of a plane contain, else that of the full frame. */
export function pixelStep(
  properties: OlympusSettings | undefined,
  main: OlympusSettings | undefined,
  side: 'Width' | 'Height',
  notes: Notes,
): Step | undefined {
  for (const [settings, section] of [
    [properties, 'Image Parameters'],
    [main, 'Reference Image Parameter'],
  ] as const) {
    const value = settings?.number(section, `${side}ConvertValue`);
    const unit = settings?.text(section, `${side}Unit`);
    if (value === undefined || unit === undefined) continue;
    const what = `${side} of a pixel`;
    const step = fileStep(value, repairUnit(unit), { what, warnings: notes, expect: 'micrometer' });
    if (step.origin === 'file') return step;
  }
  return undefined;
}

/** Repairs a `µ` that was saved in another code page and became a question mark. */
function repairUnit(unit: string): string {
  return /^.m$/.test(unit) && /[^\w]/.test(unit) ? 'um' : unit;
}

/** Returns extent over size, which the settings contain for an axis even where no pixel size is stored. */
export function axisStep(axis: RawOifAxis | undefined, what: string, notes: Notes): Step {
  if (axis?.start === undefined || axis.end === undefined || axis.maxSize < 1) return defaultStep('Pixels');
  const value = Math.abs(axis.end - axis.start) / axis.maxSize;
  const step = fileStep(value, repairUnit(axis.unit), { what, warnings: notes, expect: 'micrometer' });
  return step.origin === 'file' ? { ...step, origin: 'derived' } : step;
}
