/** Makes the instrument of a scene, and the optics of a channel, from what a reader found: only what is usable stays. */

import { shorten } from '../../base/wording.js';
import type { ChannelOptics, Instrument, SceneInfo } from '../acquisition.js';
import { toIsoClock } from './dates.js';
import { laterClock } from './later-clock.js';

type Found<T> = { [K in keyof T]?: T[K] | undefined };
type FoundWavelength = number | readonly number[];

/** What a file says, as it was read: numbers may be NaN or 0, texts empty. */
export interface FoundInstrument extends Omit<Found<Instrument>, 'objective' | 'stage'> {
  objective?: Found<NonNullable<Instrument['objective']>> | undefined;
  stage?: Found<NonNullable<Instrument['stage']>> | undefined;
}

export interface FoundOptics extends Omit<Found<ChannelOptics>, 'excitationNm' | 'emissionNm'> {
  excitationNm?: FoundWavelength | undefined;
  emissionNm?: FoundWavelength | undefined;
}

/** Longest text of a field, without the mark of what was cut. */
const MAX_CHARACTERS = 511;

/** Returns the instrument for a scene; nothing when the file states nothing usable. */
export function toInstrument(found: FoundInstrument): Pick<SceneInfo, 'instrument'> {
  const { objective = {}, stage = {}, zoom, pixelDwellSeconds, linePeriodSeconds, bidirectional } = found;
  const instrument = compact({
    microscope: usableText(found.microscope),
    objective: nonEmpty({
      name: usableText(objective.name),
      magnification: positive(objective.magnification),
      numericalAperture: positive(objective.numericalAperture),
      immersion: usableText(objective.immersion),
    }),
    zoom: positive(zoom),
    pixelDwellSeconds: positive(pixelDwellSeconds),
    linePeriodSeconds: positive(linePeriodSeconds),
    bidirectional,
    stage: nonEmpty({ x: finite(stage.x), y: finite(stage.y), z: finite(stage.z) }),
    start: usableText(found.start),
  });
  return Object.keys(instrument).length > 0 ? { instrument } : {};
}

/**
 * Returns the clock of the first plane in ISO 8601, with the offset from UTC if it is known: so many seconds after the start of the
 * recording, where the file has that, else the date and time of the file, which may be those of saving. `null` without a time.
 */
export function startOf(
  { instrument, date, time }: Pick<SceneInfo, 'instrument' | 'date' | 'time'>,
  first = 0,
): string | null {
  const { start = '' } = instrument ?? {};
  if (/T\d/.test(start)) return laterClock(start, first);
  return date && time ? laterClock(toIsoClock({ date, time }), first) : null;
}

/** Returns the fields of a channel that can be used. */
export function toOptics(found: FoundOptics): ChannelOptics {
  return compact({
    fluorophore: usableText(found.fluorophore),
    excitationNm: usableWavelength(found.excitationNm),
    emissionNm: usableWavelength(found.emissionNm),
    exposureSeconds: positive(found.exposureSeconds),
    detector: usableText(found.detector),
    gain: finite(found.gain),
    pinholeUm: positive(found.pinholeUm),
    laserPower: found.laserPower !== undefined && found.laserPower >= 0 ? finite(found.laserPower) : undefined,
  });
}

function usableText(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed ? shorten(trimmed, MAX_CHARACTERS) : undefined;
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? finite(value) : undefined;
}

/** A band keeps its two ends, shortest first; a band without width is one wavelength. */
function usableWavelength(found: FoundWavelength | undefined): number | [number, number] | undefined {
  if (found === undefined || typeof found === 'number') return positive(found);
  const [low, high] = [...found].sort((a, b) => a - b).map(positive);
  if (low === undefined || high === undefined) return undefined;
  return low === high ? low : [low, high];
}

function nonEmpty<T extends object>(fields: T) {
  const known = compact(fields);
  return Object.keys(known).length > 0 ? known : undefined;
}

type Compact<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the fields that are known. */
function compact<T extends object>(fields: T): Compact<T> {
  const known: Compact<T> = {};
  for (const name in fields) if (fields[name] !== undefined) known[name] = fields[name] as Compact<T>[typeof name];
  return known;
}
