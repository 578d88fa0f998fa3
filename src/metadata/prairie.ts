import type { WallClock } from './dates.js';

/** What Prairie View writes for a date that it does not know. */
const UNKNOWN_DATE = '20080101';

/** The clock of a Prairie View file; `undefined` for the placeholder 2008-01-01. */
export function withoutPlaceholder(clock: WallClock | undefined): WallClock | undefined {
  return clock?.date === UNKNOWN_DATE ? undefined : clock;
}
