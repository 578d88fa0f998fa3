import type { Plane } from '@acquisition-store/client/contract/open.js';
import type { PlanePoint } from '../model/geometry.ts';

type Axes = Plane['axes'];

export interface LineMeasure {
  /** Signed rows and columns from the first point to the second, with fractions. */
  readonly lines: number;
  readonly pixels: number;
  /** Signed time from the first point to the second; null when no axis is time. */
  readonly seconds: number | null;
  /** Signed distance when one axis is space, length when both are; null when none is. */
  readonly micrometers: number | null;
  /**
   * Velocity in µm/s, positive when the column increases with time, regardless of which end was drawn first. Null when
   * time or space is not calibrated or the duration is 0.
   */
  readonly velocity: number | null;
  /** In µm when both axes are, otherwise in samples. */
  readonly length: number;
  readonly lengthUnit: 'micrometer' | 'Pixels';
}

/**
 * Measures a line drawn on a plane, or a polyline through the points `via`: its velocity is the mean from end to end, its
 * length is that of the path. `axes` are those of the server: rows, then columns. `rows` is the distance of the ends
 * along the rows in their unit where it does not follow from a step.
 */
export function lineMeasure(
  from: PlanePoint,
  to: PlanePoint,
  axes: Axes,
  { via = [], rows = null }: { via?: readonly PlanePoint[] | undefined; rows?: number | null } = {},
): LineMeasure {
  const deltas = [to.row - from.row, to.column - from.column] as const;
  const sizes = deltas.map((delta, at) => (at === 0 ? rows : null) ?? delta * (axes[at]?.step ?? 1));
  const along = (unit: Axes[number]['unit']) => sizes.filter((_, at) => axes[at]?.unit === unit);
  const times = along('seconds');
  const distances = along('micrometer');
  const seconds = times.length === 1 ? times[0]! : null;
  const flat = distances.length === 2;
  const micrometers = flat ? Math.hypot(...distances) : (distances[0] ?? null);
  const moving = seconds !== null && seconds !== 0 && micrometers !== null;
  return {
    lines: deltas[0],
    pixels: deltas[1],
    seconds,
    micrometers,
    velocity: moving ? micrometers / seconds + 0 : null,
    length: pathLength([from, ...via, to], flat ? axes.map(({ step }) => step) : [1, 1]),
    lengthUnit: flat ? 'micrometer' : 'Pixels',
  };
}

function pathLength(points: readonly PlanePoint[], [down = 1, across = 1]: readonly number[]): number {
  return points.slice(1).reduce((sum, { row, column }, i) => {
    const before = points[i]!;
    return sum + Math.hypot((row - before.row) * down, (column - before.column) * across);
  }, 0);
}
