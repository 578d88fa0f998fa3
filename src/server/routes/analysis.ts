/** Windows and analysis of planes: what needs every sample and answers with few numbers. */
import { Lanes } from '../../analysis/lanes.js';
import { inSlices } from '../../analysis/slices.js';
import type { AppDependencies } from '../dependencies.js';
import type { Compute } from '../traces.js';
import type { App } from '../types.js';
import { overviewRoute } from './analysis/overview.js';
import { profileRoute } from './analysis/profile.js';
import { statisticsRoute } from './analysis/statistics.js';
import { tracesRoute } from './analysis/traces.js';
import { windowRoute } from './analysis/window.js';

/** Computations that may run at a time, so that other requests are answered in between. */
const MAX_AT_ONCE = 2;

export function analysisRoutes(app: App, deps: AppDependencies): void {
  const lanes = new Lanes(MAX_AT_ONCE);
  const { memory } = deps.sessions;
  const compute: Compute = (signal, computation, scratchBytes = 0) =>
    lanes.run(signal, () => memory.withScratch(scratchBytes, () => inSlices(computation, signal)));
  windowRoute(app, deps);
  overviewRoute(app, deps, compute);
  statisticsRoute(app, deps, compute);
  profileRoute(app, deps, compute);
  tracesRoute(app, deps, compute);
}
