/** fast-check with one seed, so that `npm test` checks the same cases each time; `npm run test:long` draws new ones. */
import fc from 'fast-check';

if (process.env['TEST_LONG'] === undefined) fc.configureGlobal({ seed: 20_261_125 });

export default fc;
