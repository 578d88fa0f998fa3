/** True in `npm run test:long`: what is slow and rarely fails is run there alone, or with more and larger files. */
export const LONG = process.env['TEST_LONG'] !== undefined;
