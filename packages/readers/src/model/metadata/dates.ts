/** Date and time as in the contract, `YYYYMMDD` and `HH:MM:SS`: the digits in the file, in local time. */
export interface WallClock {
  date: string;
  time: string;
}

export const NO_CLOCK: WallClock = { date: '', time: '' };

/** Order of month and day in `1/2/2024`: US order unless a format is known to use the other. */
export type SlashOrder = 'mdy' | 'dmy';

const TIME = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,:]\d+)?)?\s*(AM|PM)?`;
const ZONE = String.raw`\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?`;
/** `YYYY-MM-DD`, `YYYY:MM:DD` (TIFF), `YYYY/MM/DD`, `YYYYMMDD`, with or without a time. */
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-:/.]?)(\d{1,2})\2(\d{1,2})(?:[T\s,]+${TIME})?${ZONE}$`, 'i');
/** `1/2/2024`, `01-02-2024`, `1.2.2024`. */
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:[T\s,]+${TIME})?${ZONE}$`, 'i');

/**
 * Parses a date with an optional time. Zones and fractions are dropped, and nothing is converted or rounded: the digits are
 * those of the microscope's clock. Returns `undefined` if there is no valid date.
 */
export function parseDateTime(text: string, order: SlashOrder = 'mdy'): WallClock | undefined {
  const trimmed = text.trim();
  const first = YEAR_FIRST.exec(trimmed);
  if (first) return toWallClock([first[1], first[3], first[4]], first.slice(5));
  const last = YEAR_LAST.exec(trimmed);
  if (!last) return undefined;
  // With dots, the day comes first in every language.
  const dayFirst = order === 'dmy' || last[2] === '.';
  const [month, day] = dayFirst ? [last[3], last[1]] : [last[1], last[3]];
  return toWallClock([last[4], month, day], last.slice(5));
}

/** Returns the wall clock of a point in time in UTC (from Julian days, or ticks since an epoch). */
export function wallClockOf(epochMilliseconds: number): WallClock | undefined {
  const iso = toIsoUtc(epochMilliseconds);
  return iso ? { date: iso.slice(0, 10).replaceAll('-', ''), time: iso.slice(11, 19) } : undefined;
}

/**
 * Returns a point in time as `2026-01-15T10:30:00Z`, with milliseconds unless they are 0; `undefined` when it is none, or not of a year of
 * four digits.
 */
export function toIsoUtc(epochMilliseconds = Number.NaN): string | undefined {
  const date = new Date(epochMilliseconds);
  const iso = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return /^\d{4}-/.test(iso) ? iso.replace('.000Z', 'Z') : undefined;
}

/**
 * Returns a point in time like `toIsoUtc`, of a clock whose offset from UTC is not known: without the `Z`.
 * @param milliseconds since 1970 of that clock
 */
export function toIsoLocal(milliseconds: number): string | undefined {
  return toIsoUtc(milliseconds)?.slice(0, -1);
}

function toWallClock(ymd: (string | undefined)[], hms: (string | undefined)[]): WallClock | undefined {
  const [year, month, day] = ymd.map(Number) as [number, number, number];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  const date = `${String(year).padStart(4, '0')}${pad(month)}${pad(day)}`;
  if (hms[0] === undefined) return { date, time: '' };
  const half = hms[3]?.toUpperCase();
  let hour = Number(hms[0]);
  const minute = Number(hms[1]);
  const second = Number(hms[2] ?? 0);
  if (half !== undefined && (hour < 1 || hour > 12)) return { date, time: '' };
  if (half === 'AM') hour %= 12;
  if (half === 'PM') hour = (hour % 12) + 12;
  if (hour > 23 || minute > 59 || second > 59) return { date, time: '' };
  return { date, time: `${pad(hour)}:${pad(minute)}:${pad(second)}` };
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** Returns a clock as `2026-01-15T10:30:00`; the date alone, or an empty text, where the rest is not known. */
export function toIsoClock({ date, time }: WallClock): string {
  if (date === '') return '';
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  return time === '' ? day : `${day}T${time}`;
}

/** True for a date and time in ISO 8601 that exist, with or without a fraction and an offset from UTC. */
export function isIsoDateTime(text = ''): boolean {
  return /^[-\d]{10}T..:..:..[-+:.\dZ]*$/.test(text) && Boolean(parseDateTime(text)?.time);
}
