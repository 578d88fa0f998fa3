/** What commands that search folders are given. */
import { basename, resolve } from 'node:path';
import { parseList } from '../batch/list.js';
import type { Surveyed } from '../batch/surveys.js';
import { isOwnName } from '../paths/recording-names.js';
import { readLines } from './batch-files.js';
import { toFailure } from './batch-result.js';
import type { SearchFlags } from './flags.js';
import { UsageError } from './usage-error.js';

/**
 * Returns absolute paths of arguments and of a list.
 * @throws UsageError without any, or for a list that cannot be read
 */
export async function surveyPaths(args: readonly string[], { from }: SearchFlags): Promise<string[]> {
  if (args.length === 0 && from === undefined) throw new UsageError("missing required argument 'path'");
  return [...args, ...(await readLines('--from', from, parseList))].map((path) => resolve(path));
}

/** True for a file of another program, such as any XML, that a search came across. */
export function isForeign(one: Surveyed): boolean {
  if ('survey' in one || one.folder === one.path || one.isUnsearched) return false;
  const { code } = toFailure(one.error);
  return code === 'unsupported_format' && !isOwnName(basename(one.path));
}
