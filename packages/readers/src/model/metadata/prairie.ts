import type { WallClock } from './dates.js';

/** The date that Prairie View writes if it does not know the date. */
const UNKNOWN_DATE = '20080101';

/** Returns the clock of a Prairie View file, or `undefined` for the placeholder 2008-01-01. */
export function withoutPlaceholder(clock: WallClock | undefined): WallClock | undefined {
  return clock?.date === UNKNOWN_DATE ? undefined : clock;
}
