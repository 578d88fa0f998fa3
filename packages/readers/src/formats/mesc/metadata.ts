/** From a unit of a MESc file to what scenes say. */

import type { Notes } from '../../base/notes.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped, shorten } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { type NominalStep, type ResolvedAxis, resolveAxis, warnOfAxis } from '../../model/metadata/axes.js';
import { argbColor, channelsShown } from '../../model/metadata/colors.js';
import { NO_CLOCK, toIsoUtc, wallClockOf } from '../../model/metadata/dates.js';
import { toInstrument } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { fileStep } from '../../model/metadata/steps.js';
import { inUnit, unitMeaning } from '../../model/metadata/units.js';
import type { RawChannel, RawUnit } from './parse.js';

/** A clock before 1980 or after 2100 was never set. */
const CLOCK = { from: 315_532_800, to: 4_102_444_800 };
const SCALE = '`ZAxisConversionConversionLinearScale`';
const CYCLE = '`TStepInMs`';

/** What the third axis of the arrays is. */
export interface ThirdAxis {
  axis: 'T' | 'Z';
  /** Set when the file does not say it. */
  isGuess: boolean;
}

/** Decides by the title of the axis, then its unit, its role and the kind of recording; what disagrees becomes a note. */
export function thirdAxisOf(unit: RawUnit, notes: Notes): ThirdAxis {
  const { axes, thirdRole, methodType } = unit;
  const byTitle = { t: 'T', z: 'Z' } as const;
  const meaning = unitMeaning(axes.Z.unit)?.unit;
  const votes: { axis: 'T' | 'Z' | undefined; by: string }[] = [
    { axis: axes.Z.title === 't' || axes.Z.title === 'z' ? byTitle[axes.Z.title] : undefined, by: 'title' },
    { axis: meaning && (meaning === 'seconds' ? 'T' : 'Z'), by: 'unit' },
    { axis: thirdRole === 0 ? 'T' : thirdRole === 3 ? 'Z' : undefined, by: 'role' },
    { axis: methodType === 1 ? 'T' : methodType === 2 ? 'Z' : undefined, by: 'kind of recording' },
  ];
  const cast = votes.filter(({ axis }) => axis !== undefined);
  const [first] = cast;
  if (!first?.axis) return { axis: 'T', isGuess: true };
  const other = cast.find(({ axis }) => axis !== first.axis);
  if (other) {
    const word = { T: 'time (T)', Z: 'depth (Z)' } as const;
    notes.add(
      asInconsistent(
        `By the ${first.by} the third axis is ${word[first.axis]}, but by its ${other.by} it is ${word[other.axis!]}. ` +
          `Shown as ${word[first.axis]}.`,
      ),
    );
  }
  return { axis: first.axis, isGuess: false };
}

/**
 * Returns the axis of the time points or sections, in the unit that the file states.
 * @param isGuess nothing says which axis it is, so that the unit of the step is unknown, too
 */
export function resolveThird(
  unit: RawUnit,
  { axis, isGuess }: { axis: 'T' | 'Z'; isGuess: boolean },
  size: number,
  notes: Notes,
): ResolvedAxis {
  const { scale } = unit.axes.Z;
  const wanted = axis === 'T' ? 'seconds' : 'micrometer';
  const stated = unit.axes.Z.unit || (isGuess ? '' : axis === 'T' ? 'ms' : 'um');
  const meaning = unitMeaning(stated);
  const nominal: NominalStep[] = [];
  const isOfAxis = meaning?.unit === wanted;
  if (scale !== undefined && isOfAxis) nominal.push({ step: inUnit(Math.abs(scale), meaning), what: SCALE });
  if (axis === 'T' && unit.cycleMs !== undefined) nominal.push({ step: unit.cycleMs / 1000, what: CYCLE });
  // A region scan states its cycle; its third axis may keep what the last recording had.
  if ((unit.methodType ?? 0) > 2) nominal.reverse();
  const resolved = resolveAxis(axis, size, { unit: wanted, nominal }, notes);
  if (size < 2 || scale === undefined || isOfAxis || nominal.length > 0) return resolved;
  const kind = axis === 'T' ? 'time' : 'length';
  const warning = `${axis} step: the unit "${shorten(stated)}" is not a known unit of ${kind}; the axis is in ${resolved.step.unit}.`;
  return warnOfAxis(resolved, warning, notes);
}

/** Returns the axis of the rows of a line scan: one row for each cycle. */
export function resolveCycles(unit: RawUnit, axis: 'T' | 'Y', size: number, notes: Notes): ResolvedAxis {
  const nominal = unit.cycleMs === undefined ? [] : [{ step: unit.cycleMs / 1000, what: CYCLE }];
  const resolved = resolveAxis(axis, size, { unit: 'seconds', nominal }, notes);
  if (resolved.step.unit === 'seconds' || size < 2) return resolved;
  const warning = `${axis} step: the file does not state the period of the lines (${CYCLE}); the axis is in ${resolved.step.unit}.`;
  return warnOfAxis(resolved, warning, notes);
}

export function lengthStep({ axes }: RawUnit, axis: 'X' | 'Y', notes: Notes): Step {
  const { scale, unit } = axes[axis];
  // MESc counts some axes backwards.
  const size = scale === undefined ? undefined : Math.abs(scale);
  return fileStep(size, unit || 'um', { what: `${axis} step`, warnings: notes, expect: 'micrometer' });
}

export function toChannels(channels: readonly RawChannel[]): ChannelInfo[] {
  const displays = channels.map((channel) => ({ window: windowOf(channel), color: argbColor(channel.colors.at(-1)) }));
  return channelsShown(channelsNamed(channels.map(({ name }) => name)), displays);
}

/** Converts the displayed range from shown to stored values. */
function windowOf({ bounds, scale = 1, offset = 0 }: RawChannel): ChannelInfo['window'] {
  const [low, high] = [bounds[0], bounds.at(-1)];
  if (low === undefined || high === undefined || !(scale > 0)) return undefined;
  return { start: (low - offset) / scale, end: (high - offset) / scale };
}

/** Adds a note about values that MESc converts before it shows them. */
export function noteConversions(channels: readonly RawChannel[], names: readonly string[], notes: Notes): void {
  const formulas = channels.flatMap(({ scale = 1, offset = 0 }, i) => {
    if (scale === 1 && offset === 0) return [];
    const factor = scale === 1 ? '' : ` × ${scale}`;
    const shift = offset === 0 ? '' : ` ${offset < 0 ? '−' : '+'} ${Math.abs(offset)}`;
    return [`${names[i]} is the sample${factor}${shift}`];
  });
  if (formulas.length === 0) return;
  notes.add(`In MESc, ${formulas.join(', ')}. Samples are shown as stored.`);
}

/** Says what the file announces and does not have. */
export function noteShortage(unit: RawUnit, frames: number, notes: Notes): void {
  const { plannedFrames = 0, statedChannels = 0, channels } = unit;
  if (plannedFrames > frames) {
    notes.add(
      `The recording was planned with ${grouped(plannedFrames)} frames and has ${grouped(frames)} along its third axis.`,
    );
  }
  if (statedChannels > channels.length) {
    notes.add(`The file announces ${grouped(statedChannels)} channels and has ${grouped(channels.length)}.`);
  }
}

/** Returns the clock of a unit, and the position of its stage. The file has seconds since 1970, in UTC by their name. */
export function whenAndWhere(
  { seconds = Number.NaN, nanoseconds = 0, stage }: RawUnit,
  notes: Notes,
): Pick<SceneInfo, 'date' | 'time' | 'instrument'> {
  if (!(seconds > CLOCK.from && seconds < CLOCK.to)) return { ...NO_CLOCK, ...toInstrument({ stage }) };
  const milliseconds = Math.floor(seconds * 1000 + nanoseconds / 1e6);
  const clock = wallClockOf(milliseconds) ?? NO_CLOCK;
  if (clock.time !== '') {
    notes.add(`The recording time ${clock.time} is UTC: the file does not contain the local time zone.`);
  }
  return { ...clock, ...toInstrument({ stage, start: toIsoUtc(milliseconds) }) };
}
