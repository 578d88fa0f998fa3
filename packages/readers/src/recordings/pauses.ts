/** How much time passed between files that were joined along T, where each tells when it began and how long it took. */
import { grouped } from '../base/wording.js';
import type { SceneInfo } from '../model/acquisition.js';

/** A file, in the order of T. */
export interface TimedPart {
  name: string;
  scene: SceneInfo;
}

/** Clocks of files count seconds, or milliseconds. */
const CLOCK_SECONDS = 1;
/** Periods from frame to frame beyond which the next file did not follow at once. */
const PERIODS = 1.5;

const UNKNOWN = 'How much time passed between the files is unknown: T counts as if they followed each other.';

/**
 * Returns a warning about the time between files; nothing when they have one frame each, or follow each other.
 * @param parts those of one scene, section and channel
 */
export function describePauses(parts: readonly TimedPart[]): string | undefined {
  if (parts.length < 2 || parts[0]!.scene.sizes.T < 2) return undefined;
  let count = 0;
  let longest = { seconds: 0, text: '' };
  for (const [i, part] of parts.entries()) {
    const before = parts[i - 1];
    if (!before) continue;
    const seconds = secondsBetween(before.scene, part.scene);
    if (Number.isNaN(seconds)) return UNKNOWN;
    if (seconds <= PERIODS * before.scene.steps.T.step + CLOCK_SECONDS) continue;
    count++;
    if (seconds > longest.seconds) longest = { seconds, text: `${before.name} and ${part.name}` };
  }
  if (count === 0) return undefined;
  const time = `${grouped(Number(longest.seconds.toPrecision(3)))} s`;
  const what =
    count === 1
      ? `there was a pause of ${time} between ${longest.text}`
      : `there were ${grouped(count)} pauses, the longest of ${time} between ${longest.text}`;
  return `By the times in the files ${what}. T counts as if they followed each other.`;
}

/** Returns the seconds from the last frame of a file to the first one of the next; `NaN` if they do not tell. */
function secondsBetween(a: SceneInfo, b: SceneInfo): number {
  const { T } = a.steps;
  if (T.unit !== 'seconds') return Number.NaN;
  const last = a.coordinates?.T?.values.at(-1) ?? (a.sizes.T - 1) * T.step;
  return clockOf(b) - clockOf(a) - last;
}

/** Seconds since 1970 by the clock of the recording; `NaN` without a date and a time. */
function clockOf({ date, time }: SceneInfo): number {
  if (date === '' || time === '') return Number.NaN;
  return Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time}Z`) / 1000;
}
