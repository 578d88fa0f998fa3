/** Windows and analysis of planes: what needs every sample and answers with few numbers. */
import { createCompute } from '../compute.js';
import type { AppDependencies } from '../dependencies.js';
import type { App } from '../types.js';
import { overviewRoute } from './analysis/overview.js';
import { profileRoute } from './analysis/profile.js';
import { statisticsRoute } from './analysis/statistics.js';
import { tracesRoute } from './analysis/traces.js';
import { windowRoute } from './analysis/window.js';

export function analysisRoutes(app: App, deps: AppDependencies): void {
  const compute = createCompute(deps);
  windowRoute(app, deps);
  overviewRoute(app, deps, compute);
  statisticsRoute(app, deps, compute);
  profileRoute(app, deps, compute);
  tracesRoute(app, deps, compute);
}
