/** Versions as semantic versioning defines them (https://semver.org). */
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;
const MAX_LENGTH = 64;

export function isVersion(text: string): boolean {
  return text.length <= MAX_LENGTH && VERSION.test(text);
}

/** True when the version `next` comes after `current`; false also for texts that are not versions. */
export function isNewer(next: string, current: string): boolean {
  const [a, b] = [parse(next), parse(current)];
  if (!a || !b) return false;
  for (const [i, part] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0;
    if (part !== other) return part > other;
  }
  return comparePre(a.pre, b.pre) > 0;
}

interface Version {
  numbers: number[];
  /** Empty for a release, which comes after its pre-releases. */
  pre: string[];
}

function parse(text: string): Version | undefined {
  const match = text.length <= MAX_LENGTH ? VERSION.exec(text) : null;
  if (!match) return undefined;
  return { numbers: match.slice(1, 4).map(Number), pre: match[4]?.split('.') ?? [] };
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers come before words, and are compared as numbers. */
function comparePart(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [a, b].map((part) => /^\d+$/.test(part));
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
