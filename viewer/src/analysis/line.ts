import type { Plane } from '../../../src/contract/open.js';
import type { PlanePoint } from '../model/geometry.ts';

type Axes = Plane['axes'];

export interface LineMeasure {
  /** Rows and columns from the first point to the second, with sign; fractions of samples. */
  readonly lines: number;
  readonly pixels: number;
  /** Time from the first point to the second, with sign; null when no axis is time. */
  readonly seconds: number | null;
  /** Along the one axis of space with sign; the length of the line when both are space; null when none is. */
  readonly micrometers: number | null;
  /**
   * µm/s of what moves along the line: positive towards higher columns as time goes on, whichever end was drawn first.
   * Null when time or space is not calibrated, or no time passes.
   */
  readonly velocity: number | null;
  /** In µm when both axes are, else in samples. */
  readonly length: number;
  readonly lengthUnit: 'micrometer' | 'Pixels';
}

/** Of a line drawn on a plane; `axes` as the server gives them: rows, then columns. */
export function lineMeasure(from: PlanePoint, to: PlanePoint, axes: Axes): LineMeasure {
  const deltas = [to.row - from.row, to.column - from.column] as const;
  const sizes = deltas.map((delta, at) => delta * (axes[at]?.step ?? 1));
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
    length: flat ? Math.hypot(...distances) : Math.hypot(...deltas),
    lengthUnit: flat ? 'micrometer' : 'Pixels',
  };
}
