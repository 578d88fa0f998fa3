/** When a recording was made, in local time. */
import { NO_CLOCK, parseDateTime, type WallClock, wallClockOf } from '../../model/metadata/dates.js';
import type { RawMetadata } from './metadata-xml.js';

/**
 * How long before or after the recording the document may have been created for its offset to hold for the recording:
 * summer time begins and ends, and files are saved again elsewhere.
 */
const SAME_OFFSET_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

type Dates = Pick<RawMetadata, 'acquisitionDate' | 'creationDate'>;

/** A time of recording, with a warning when it may not be local. */
export interface RecordingTime {
  clock: WallClock;
  warning?: string;
}

/**
 * Finds the local time of a recording. ZEN blue writes the date of the acquisition in UTC (`…Z`), and that of the document
 * in local time with its offset (`…+02:00`). The offset converts the first, when it is that of the same day. Files of the
 * LSM 880 have the second only.
 */
export function findRecordingTime({ acquisitionDate, creationDate }: Dates): RecordingTime {
  const acquired = parseMoment(acquisitionDate);
  const created = parseMoment(creationDate);
  if (acquired?.utc && acquired.clock.time !== '' && created?.offset !== undefined) {
    return toLocal(acquired, created, created.offset);
  }
  const chosen = acquired ?? created;
  if (!chosen) return { clock: NO_CLOCK };
  const { clock } = chosen;
  if (!chosen.utc || clock.time === '') return { clock };
  return {
    clock,
    warning: `The recording time ${clock.time} is UTC: the file does not contain the local time zone.`,
  };
}

/** Returns the start of a recording as the file writes it, in ISO 8601; empty when it is unset. */
export function findStart({ acquisitionDate, creationDate }: Dates): string {
  const text = [acquisitionDate, creationDate].find((date) => parseMoment(date) !== undefined)?.trim() ?? '';
  return /^[\d-]{10}T[\d:]{8}/.test(text) ? text : '';
}

/** Seconds since 1970 in UTC, where no start is known. */
export const EPOCH = '1970-01-01T00:00:00Z';

/**
 * Returns the seconds from one moment to another; `NaN` without a time. `2019-12-07T00:35:58.9363097Z` has seven digits behind the
 * second, of which a date of JavaScript keeps three.
 */
export function secondsBetween(from: string, to: string): number {
  const [first, last] = [from, to].map((text) => {
    const [, clock, fraction = '', zone = 'Z'] = CLOCK.exec(text) ?? [];
    return { whole: Date.parse(`${clock}${zone}`) / 1000, fraction: Number(`0${fraction}`) };
  });
  const seconds = last!.whole - first!.whole + (last!.fraction - first!.fraction);
  return Math.round(seconds * TICKS) / TICKS;
}

const CLOCK = /^([\d-]{10}T[\d:]{8})(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/;
/** In a second: what ZEN counts. */
const TICKS = 1e7;

/** Returns whether a moment is set, and has its time zone. */
export function isZoned(text: string): boolean {
  return CLOCK.exec(text)?.[3] !== undefined && parseMoment(text) !== undefined;
}

interface Moment {
  /** The digits as written. */
  clock: WallClock;
  utc: boolean;
  /** Minutes that local time is ahead of UTC. */
  offset: number | undefined;
}

function parseMoment(text: string): Moment | undefined {
  const clock = parseDateTime(text);
  // ZEN writes an unset date as the year 1.
  if (!clock || clock.date < '1900') return undefined;
  const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})$/.exec(clock.time === '' ? '' : text.trim()) ?? [];
  const offset = sign === undefined ? undefined : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return { clock, utc: /Z$/i.test(text.trim()), offset };
}

function toLocal(acquired: Moment, created: Moment, offset: number): RecordingTime {
  const moment = toEpoch(acquired.clock);
  if (Math.abs(toEpoch(created.clock) - offset * MINUTE_MS - moment) > SAME_OFFSET_MS) {
    return {
      clock: acquired.clock,
      warning:
        `The recording time ${acquired.clock.time} is UTC: the local time zone in the file is that of ` +
        `${withDashes(created.clock.date)}, when the file was created.`,
    };
  }
  return { clock: wallClockOf(moment + offset * MINUTE_MS) ?? acquired.clock };
}

function toEpoch({ date, time }: WallClock): number {
  return Date.parse(`${withDashes(date)}T${time || '00:00:00'}Z`);
}

/** `20240305` as `2024-03-05`. */
function withDashes(date: string): string {
  return date.replace(/(....)(..)(..)/, '$1-$2-$3');
}
