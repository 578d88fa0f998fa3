/** Planes that are too large to be held in memory. */

import { AcqError } from './errors.js';
import { LIMITS } from './limits.js';
import { grouped, plural } from './wording.js';

/** Rows and columns of a plane. */
export interface PlaneSides {
  Y: number;
  X: number;
}

/**
 * Returns the error of a plane that is too large; `undefined` for any other. Opening checks all scenes; readers call it for
 * images that they skip.
 */
export function planeTooLarge({ Y, X }: PlaneSides): AcqError | undefined {
  if (Y <= LIMITS.planeSide && X <= LIMITS.planeSide && Y * X <= LIMITS.planePixels) return undefined;
  const limit = `the limit is ${grouped(LIMITS.planePixels)} pixels, and ${grouped(LIMITS.planeSide)} per side`;
  return new AcqError('plane_too_large', `the plane has ${plural(Y, 'row')} of ${plural(X, 'pixel')}; ${limit}`);
}
