/** Checks any server of API v2 or v1 from outside. See `docs/conformance.md`. */
export { CHECKS } from './checks/index.js';
export { writeKitFiles } from './files/kit-files.js';
export { type Choice, chooseChecks, expectReadable, runChecks } from './run.js';
export { Target } from './target.js';
export type { Result } from './types.js';
