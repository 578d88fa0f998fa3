/** The files that a command was given: arguments, lists, and the failed ones of an earlier run. */
import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { unsupported } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { parseFailed, parseList, parseShard, selectShard } from '../batch/list.js';
import type { BatchFlags } from './flags.js';
import { isPlainFolder, pathsIn } from './inspect-targets.js';
import { UsageError } from './usage-error.js';

/** A file to work on, or a folder that could not be listed. */
export interface BatchFile {
  /** Absolute path. */
  path: string;
  /** Why the folder could not be listed. */
  error?: unknown;
}

export interface BatchFiles {
  /** Every file, also those of other shards. */
  all: BatchFile[];
  /** Those of this shard. */
  mine: BatchFile[];
  /** True unless one file was named. */
  isMany: boolean;
}

/** A longer list is probably another file. */
const MAX_LIST_BYTES = 256 * 2 ** 20;

/**
 * Collects the files of a command. A folder that is not an acquisition stands for what can be opened directly inside it.
 * @throws UsageError for a list that cannot be read, or without any file
 */
export async function collectFiles(args: readonly string[], flags: BatchFlags): Promise<BatchFiles> {
  const shard = flags.shard === undefined ? undefined : parseShard(flags.shard);
  if (flags.shard !== undefined && !shard) {
    throw new UsageError(
      `--shard: "${flags.shard}" is not a shard. Write I/N, with I from 0 to N − 1, for example 0/20.`,
    );
  }
  const listed = [
    ...args,
    ...(await readLines('--from', flags.from, parseList)),
    ...(await readLines('--retry', flags.retry, parseFailed)),
  ];
  if (listed.length === 0 && flags.from === undefined && flags.retry === undefined)
    throw new UsageError("missing required argument 'path'");
  const isMany = listed.length !== 1 || args.length !== 1 || isPlainFolder(resolve(args[0]!));
  const lines = listed.map((path) => expand(resolve(path)));
  return { all: lines.flat(), mine: selectShard(lines, shard).flat(), isMany: isMany || shard !== undefined };
}

/** Reads a list of paths. @throws UsageError when it cannot be read, or is none */
export async function readLines(
  flag: string,
  path: string | undefined,
  parse: (text: string) => string[],
): Promise<string[]> {
  if (path === undefined) return [];
  try {
    return parse(path === '-' ? await readText(process.stdin) : readListFile(path));
  } catch (error) {
    throw new UsageError(`${flag} ${path}: ${(error as Error).message}`);
  }
}

function readListFile(path: string): string {
  // A pipe, such as <(find …), has the size 0.
  const { size } = statSync(path);
  if (size > MAX_LIST_BYTES)
    throw new Error(`has ${grouped(size)} bytes; the limit of a list is ${grouped(MAX_LIST_BYTES)}`);
  return readFileSync(path, 'utf8');
}

function expand(path: string): BatchFile[] {
  if (!isPlainFolder(path)) return [{ path }];
  try {
    const inside = pathsIn(path);
    if (inside.length > 0) return inside.map((entry) => ({ path: entry }));
    const text = 'contains nothing that can be opened. Subfolders are not searched; name the one to open.';
    return [{ path, error: unsupported(text).about(basename(path)) }];
  } catch (error) {
    return [{ path, error }];
  }
}
