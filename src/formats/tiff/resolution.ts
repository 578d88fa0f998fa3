import type { Step } from '../../acquisition.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import type { TiffPage } from '../../tiff/types.js';
import { numberOf } from './soft-tags.js';

const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;
const RESOLUTION_UNIT = 296;

/** Micrometers of one ResolutionUnit: inch, cm, and two values that some microscope software uses (mm, µm). */
const UNIT_MICROMETERS: Record<number, number> = { 2: 25_400, 3: 10_000, 4: 1_000, 5: 1 };

/** Dots per inch that programs write when they know no pixel size. */
const PRINT_DPI = [1, 72, 75, 90, 96, 100, 120, 144, 150, 200, 240, 300, 360, 400, 600, 720, 1_200, 2_400];

/**
 * Pixel size from XResolution and YResolution, the last resort when nothing else tells. Print resolutions (72, 96, 150,
 * 300, 600 dpi …), 1 per unit, and 10,000 per cm (exactly 1 µm: what Bio-Formats and Olympus exports write when they
 * know no size) are placeholders and give `Pixels`.
 */
export function resolutionSteps(page: TiffPage): { X: Step; Y: Step } {
  const micrometers = UNIT_MICROMETERS[numberOf(page, RESOLUTION_UNIT) ?? 0];
  const x = numberOf(page, X_RESOLUTION);
  const y = numberOf(page, Y_RESOLUTION);
  if (micrometers === undefined || isPlaceholder(x, micrometers) || isPlaceholder(y, micrometers)) {
    return { X: defaultStep(), Y: defaultStep() };
  }
  return { X: stepOf(x, micrometers), Y: stepOf(y, micrometers) };
}

function stepOf(perUnit: number | undefined, micrometers: number): Step {
  return makeStep(micrometers / (perUnit ?? Number.NaN), 'micrometer') ?? defaultStep();
}

function isPlaceholder(perUnit: number | undefined, micrometers: number): boolean {
  if (perUnit === undefined || !(perUnit > 0) || perUnit === 1) return true;
  if (micrometers === 10_000 && perUnit === 10_000) return true;
  const dpi = (perUnit / micrometers) * 25_400;
  // Half a per mille: 300 dpi is also written as 118.11 per cm.
  return PRINT_DPI.some((print) => Math.abs(dpi - print) < print * 5e-4);
}
