import type { ChannelInfo } from '../acquisition.js';

/** Longest name that is served; dye names are short, whole annotations have been seen in their place. */
const NAME_LENGTH = 200;

/**
 * Channels with the file's own names, cleaned and unique; `CH1`, `CH2`, … by position where it has none. A number
 * whose name the file gives to another channel is skipped.
 * @param names one entry per channel
 */
export function channelsNamed(names: readonly (string | undefined)[]): ChannelInfo[] {
  const own = names.map(cleanName);
  const taken = new Set(own);
  let next = 1;
  const numbered = (index: number) => {
    next = Math.max(next, index + 1);
    while (taken.has(`CH${next}`)) next++;
    return `CH${next++}`;
  };
  return uniqueNames(own.map((name, index) => name || numbered(index))).map((name) => ({ name }));
}

/** `count` channels without names of their own: `CH1`, `CH2`, … */
export function channelsNumbered(count: number): ChannelInfo[] {
  return channelsNamed(Array.from({ length: count }, () => undefined));
}

/** One line of text without control characters, at most 200 characters; empty for nothing. */
export function cleanName(name: string | undefined): string {
  return (name ?? '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, NAME_LENGTH)
    .replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** The same names, later duplicates with ` (2)`, ` (3)`, … behind. */
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
