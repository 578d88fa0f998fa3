/** When a recording was made, by the clock on the wall. */
import { NO_CLOCK, parseDateTime, type WallClock, wallClockOf } from '../../metadata/dates.js';
import type { RawMetadata } from './parse.js';

/** A time zone holds for that long; later, the document may have been written in another one. */
const SAME_ZONE_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

type Dates = Pick<RawMetadata, 'acquisitionDate' | 'creationDate'>;

/**
 * ZEN blue writes the date of the acquisition in UTC (`…Z`), and that of the document on the local clock with its offset
 * (`…+02:00`): the offset makes a local time of the former. Files of the LSM 880 have the date of the document only.
 */
export function clockOf({ acquisitionDate, creationDate }: Dates, warnings: string[]): WallClock {
  const acquired = read(acquisitionDate);
  const created = read(creationDate);
  if (acquired?.utc && acquired.clock.time !== '' && created?.offset !== undefined)
    return local(acquired, created, created.offset, warnings);
  const chosen = acquired ?? created;
  if (chosen?.utc && chosen.clock.time !== '') {
    warnings.push(`The recording time ${chosen.clock.time} is UTC: the file does not contain the local time zone.`);
  }
  return chosen?.clock ?? NO_CLOCK;
}

interface Moment {
  /** The digits as written. */
  clock: WallClock;
  utc: boolean;
  /** Minutes that the local clock is ahead of UTC. */
  offset: number | undefined;
}

function read(text: string): Moment | undefined {
  const clock = parseDateTime(text);
  // The year 1 is how the vendor writes an unset date.
  if (!clock || clock.date < '1900') return undefined;
  const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})$/.exec(clock.time === '' ? '' : text.trim()) ?? [];
  const offset = sign === undefined ? undefined : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return { clock, utc: /Z$/i.test(text.trim()), offset };
}

function local(acquired: Moment, created: Moment, offset: number, warnings: string[]): WallClock {
  const moment = toEpoch(acquired.clock);
  const clock = wallClockOf(moment + offset * MINUTE_MS);
  if (!clock) return acquired.clock;
  if (Math.abs(toEpoch(created.clock) - offset * MINUTE_MS - moment) > SAME_ZONE_MS) {
    warnings.push(
      `The recording time ${clock.time} is in the time zone of the computer that created the file on ` +
        `${created.clock.date.replace(/(....)(..)(..)/, '$1-$2-$3')}; the file has ${acquired.clock.time} UTC.`,
    );
  }
  return clock;
}

function toEpoch({ date, time }: WallClock): number {
  return Date.parse(`${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time || '00:00:00'}Z`);
}
