/** Steps that the caller gives in place of those of the file. */

import type { SceneInfo, Step } from './acquisition.js';
import type { Header } from './header.js';

type CalibratedAxis = 'T' | 'Z' | 'Y' | 'X';

/** The steps that are given. */
export type CalibrationOverride = Partial<
  Record<CalibratedAxis, { step: number; unit: 'seconds' | 'micrometer' | 'Pixels' }>
>;

const AXES: readonly CalibratedAxis[] = ['T', 'Z', 'Y', 'X'];
const NOUNS = { T: 'time point', Z: 'section', Y: 'row', X: 'column' } as const;
/** The last words of what readers say of a line scan without a line period. */
const ASKS_FOR_LINES = 'Enter it in the viewer or pass `calibration`.';

/**
 * Returns the scene with the steps that were given. They replace the step, the measured values and what was said of an axis,
 * which becomes a warning where the file has measured values, or does not have the axis. Their origin is `derived`: see
 * `docs/decisions/0003-origin-of-an-override.md`.
 */
export function calibrateScene(scene: SceneInfo, calibration: CalibrationOverride = {}): SceneInfo {
  const given = AXES.filter((axis) => calibration[axis] !== undefined);
  if (given.length === 0) return scene;
  const { coordinates = {}, axisWarnings = {}, ...rest } = scene;
  // There is no step along an axis of one index. A single row or column has a size.
  const used = given.filter((axis) => axis === 'Y' || axis === 'X' || scene.sizes[axis] > 1);
  const steps = used.map((axis) => [axis, { ...calibration[axis]!, origin: 'derived' } satisfies Step]);
  const kept = Object.entries(coordinates).filter(([axis]) => !used.includes(axis as CalibratedAxis));
  const answered = new Set(used.flatMap((axis) => axisWarnings[axis] ?? []));
  const isAnswered = (warning: string) =>
    answered.has(warning) || (used.includes('Y') && warning.endsWith(ASKS_FOR_LINES));
  return {
    ...rest,
    steps: { ...scene.steps, ...Object.fromEntries(steps) },
    ...(kept.length > 0 ? { coordinates: Object.fromEntries(kept) } : {}),
    warnings: [
      ...scene.warnings.filter((warning) => !isAnswered(warning)),
      ...given.flatMap((axis) => describe(scene, axis, calibration[axis]!)),
    ],
  };
}

function describe(
  { sizes, coordinates }: SceneInfo,
  axis: CalibratedAxis,
  { step, unit }: { step: number; unit: string },
) {
  if ((axis === 'T' || axis === 'Z') && sizes[axis] === 1) {
    return [`\`calibration.${axis}\` was ignored: the file has one ${NOUNS[axis]}.`];
  }
  const measured = axis === 'X' ? undefined : coordinates?.[axis];
  if (!measured) return [];
  const shown = `${step} ${unit === 'seconds' ? 's' : unit === 'micrometer' ? 'µm' : unit}`;
  return [`The step of ${axis} that was entered, ${shown}, replaces the ${measured.source} of the ${NOUNS[axis]}s.`];
}

/** Returns the scene without the measured values that a session does not serve, because a step was entered for their axis. */
export function asServed(scene: SceneInfo, { coordinates: served = {} }: Pick<Header, 'coordinates'>): SceneInfo {
  const { coordinates, ...rest } = scene;
  if (!coordinates) return scene;
  const kept = Object.entries(coordinates).filter(([axis]) => served[axis as keyof typeof served] !== undefined);
  return kept.length > 0 ? { ...rest, coordinates: Object.fromEntries(kept) } : rest;
}
