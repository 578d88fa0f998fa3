/** What a server did that the contract does not allow. The message is one sentence for the table of results. */
export class Failure extends Error {
  override name = 'Failure';
}

/** Nothing came back: there may be no server. */
export class NoAnswer extends Failure {}

/** A check that cannot be run on this server, with the reason. */
export class Skipped extends Error {
  override name = 'Skipped';
}

/** Fails with `message` unless `condition` holds. */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Failure(message);
}

/** Fails unless both values have the same JSON. Objects are equal regardless of the order of their fields. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  ensure(toText(actual) === toText(expected), `${what} is ${shorten(actual)}; expected ${shorten(expected)}`);
}

/** Fails unless the number is within 1 ppm of the expected one: steps are often converted from other units. */
export function close(actual: unknown, expected: number, what: string): void {
  const fits = typeof actual === 'number' && Math.abs(actual - expected) <= 1e-6 * Math.abs(expected);
  ensure(fits, `${what} is ${shorten(actual)}; expected ${expected}`);
}

/** Max characters of what a server sends in a message. */
export const MAX_SHOWN = 160;

/** Returns a value as JSON for a message. */
export function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
