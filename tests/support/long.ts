/** True in `npm run test:long`: what is slow and rarely fails is run there alone, or with more and larger files. */
export const LONG = process.env['TEST_LONG'] !== undefined;

/** All cases in `npm run test:long`, and every `step`-th of them in `npm test`: the first one, and others spread over the list. */
export function some<T>(cases: readonly T[], step: number): T[] {
  return cases.filter((_, i) => LONG || i % step === 0);
}
