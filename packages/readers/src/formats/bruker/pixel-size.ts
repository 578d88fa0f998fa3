import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import { lookUp } from './parse.js';
import type { BrukerSceneSource } from './planes.js';
import type { NotedStep } from './times.js';

/** Returns µm per pixel along an axis of the raster; along Z, between planes. */
export function pixelStep({ plan, scan }: Pick<BrukerSceneSource, 'plan' | 'scan'>, axis: 'x' | 'y' | 'z'): NotedStep {
  const value = lookUp(`micronsperpixel_${axis}axis`, plan.frame, plan.sequences[0], scan);
  const fallback = defaultStep(axis === 'z' ? 'Planes' : 'Pixels');
  if (value === undefined) return { step: fallback };
  // A distance between planes that go up is negative in some versions.
  const step = makeStep(Math.abs(value), 'micrometer');
  if (step) return { step };
  return {
    step: fallback,
    warning: `${axis.toUpperCase()} step: micronsPerPixel is ${value}; the axis is in ${fallback.unit}.`,
  };
}
