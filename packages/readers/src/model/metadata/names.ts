import type { ChannelInfo } from '../acquisition.js';

/** Longest name that is served. Dye names are short, but some files have whole annotations in their place. */
const NAME_LENGTH = 200;

/**
 * Returns channels with the names from the file, cleaned and unique, and `CH1`, `CH2`, … by position for those without a
 * name. Numbers are skipped if the file gives their name to another channel.
 * @param names one entry per channel
 */
export function channelsNamed(names: readonly (string | undefined)[]): ChannelInfo[] {
  const cleaned = names.map(cleanName);
  const taken = new Set(cleaned);
  let next = 1;
  const nextNumbered = (index: number) => {
    next = Math.max(next, index + 1);
    while (taken.has(`CH${next}`)) next++;
    return `CH${next++}`;
  };
  return uniqueNames(cleaned.map((name, index) => name || nextNumbered(index))).map((name) => ({ name }));
}

/** Returns `count` channels without names from a file: `CH1`, `CH2`, … */
export function channelsNumbered(count: number): ChannelInfo[] {
  return channelsNamed(Array.from({ length: count }, () => undefined));
}

/** Returns one line of text without control characters, at most 200 characters; empty if there is no name. */
export function cleanName(name: string | undefined): string {
  return (name ?? '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, NAME_LENGTH)
    .replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Returns the names, with ` (2)`, ` (3)`, … appended to duplicates. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    for (let n = next.get(name) ?? 2; used.has(unique); n++) {
      const candidate = `${name} (${n})`;
      next.set(name, n + 1);
      if (!taken.has(candidate) && !used.has(candidate)) unique = candidate;
    }
    used.add(unique);
    return unique;
  });
}
