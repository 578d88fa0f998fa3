/** Lists of files for a batch, and the share of one of several machines. Pure. */

/** Every `count`-th file of a list, from the one at `index`. */
export interface Shard {
  index: number;
  count: number;
}

/** Parses `I/N`, I from 0 to N − 1; `undefined` for anything else. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index < shard.count ? shard : undefined;
}

/** Returns the share of a list: it depends only on the position in the list, so that machines need not talk. */
export function selectShard<T>(items: readonly T[], shard: Shard | undefined): T[] {
  return shard ? items.filter((_, line) => line % shard.count === shard.index) : [...items];
}

/** Parses a list of paths, one on each line; blank lines are ignored. @throws Error for a text that is not such a list */
export function parseList(text: string): string[] {
  if (text.includes('\0'))
    throw new Error('is not a list of paths: it contains zero bytes. Put one path on each line.');
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/**
 * Parses the lines that an earlier run has printed with `--jsonl`. Returns the paths of the files that failed.
 * @throws Error that names the line that is not one of them
 */
export function parseFailed(text: string): string[] {
  return parseList(text).flatMap((line, i) => {
    const { path, ok } = parseLine(line) ?? {};
    if (typeof path !== 'string' || typeof ok !== 'boolean') {
      throw new Error(`line ${i + 1} is not a line of --jsonl. Give the output of an earlier run.`);
    }
    return ok ? [] : [path];
  });
}

function parseLine(line: string): { path?: unknown; ok?: unknown } | undefined {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}
