/** Returns the time of day, such as `10:31`. */
export function clock(time: number): string {
  return new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}
