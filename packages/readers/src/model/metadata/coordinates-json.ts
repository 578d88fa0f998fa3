import type { SceneInfo } from '../acquisition.js';
import { describeOptics } from './instrument-text.js';

/** Values of an axis in a document; more would make it slow to read. */
const MAX_VALUES = 100_000;

/** As in the answer of `GET …/coordinates`; `null` where the file has no value. */
export interface CoordinatesJson {
  unit: string;
  source: string;
  uneven: boolean;
  values: (number | null)[];
}

/**
 * Returns what a scene has beside its steps, for documents of JSON: the measured values of its axes, up to 100,000 each, the
 * instrument, and the optics of its channels. Only what is known.
 */
export function measuredJson({ coordinates = {}, instrument, channels }: SceneInfo): {
  coordinates?: Record<string, CoordinatesJson>;
  instrument?: SceneInfo['instrument'];
  channels?: SceneInfo['channels'];
} {
  const axes = Object.entries(coordinates).flatMap(([name, { unit, source, uneven, values }]) =>
    values.length === 0 || values.length > MAX_VALUES
      ? []
      : [[name, { unit, source, uneven, values: Array.from(values, (v) => (Number.isFinite(v) ? v : null)) }] as const],
  );
  return {
    ...(axes.length > 0 ? { coordinates: Object.fromEntries(axes) } : {}),
    ...(instrument ? { instrument } : {}),
    ...(channels.some((channel) => describeOptics(channel) !== '') ? { channels } : {}),
  };
}
