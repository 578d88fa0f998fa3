/** Returns a clock in ISO 8601 so many seconds later, to the microsecond; one that cannot be read as it is. */
export function laterClock(clock: string, seconds: number): string {
  const [, whole, fraction = '', zone] = /^([\d-]{10}T[\d:]{8})(\.\d+)?(.*)$/.exec(clock) ?? [];
  const micros = Math.round((Number(`0${fraction}`) + seconds) * 1e6);
  const date = new Date(Date.parse(`${whole}Z`) + 1000 * Math.floor(micros / 1e6));
  if (seconds === 0 || Number.isNaN(date.getTime())) return clock;
  const digits = String(micros - 1e6 * Math.floor(micros / 1e6)).padStart(6, '0');
  return `${date.toISOString().slice(0, 19)}.${digits}`.replace(/\.?0+$/, '') + zone;
}
