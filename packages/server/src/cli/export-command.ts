import { statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import type { ExportJob, ExportOutcome } from '../batch/protocol.js';
import { runJobs, type Settled } from '../batch/runner.js';
import { planTargets, stemOf } from '../batch/targets.js';
import { EXPORT_FORMATS } from '../export/index.js';
import { createToken } from '../export/partial.js';
import type { ExportFormat } from '../export/types.js';
import { defaultOptions } from '../options.js';
import { packageVersion } from '../package-files.js';
import { type BatchFile, type BatchFiles, collectFiles } from './batch-files.js';
import { exitCodeFor, toFailure } from './batch-result.js';
import { toChoice, toFormatOptions } from './export-choice.js';
import type { ExportProgress } from './export-progress.js';
import type { ExportFlags } from './flags.js';
import { toMessage } from './message.js';
import { parseSize } from './size.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

export interface ExportOutput {
  /** Resolves when the line has been handed to the system. */
  print(text: string): Promise<void>;
  progress: ExportProgress;
  /** Aborts when the user stops the program. */
  signal: AbortSignal;
}

/** Lines about one file. */
const MAX_WARNINGS = 10;

interface Totals {
  total: number;
  exported: number;
  skipped: number;
  failed: number;
}

/** `acqstore export`. Resolves to the exit code; when the signal aborts, after everything unfinished was removed. */
export async function exportFiles(args: readonly string[], flags: ExportFlags, output: ExportOutput): Promise<number> {
  const format = EXPORT_FORMATS.find(({ id }) => id === flags.to)!;
  const files = await collectFiles(args, flags);
  const jobs = planJobs(files, flags, format);
  const totals: Totals = { total: files.mine.length, exported: 0, skipped: 0, failed: 0 };
  const { progress, signal } = output;
  const good = jobs.flatMap((job) => ('job' in job ? [job.job] : []));
  progress.start(good.map(({ task }) => basename(task.path)));
  const settled = runJobs<'export'>(good, {
    workers: flags.workers ?? 0,
    timeoutSeconds: flags.timeout ?? defaultOptions().openTimeoutSeconds,
    signal,
    onStart: (index) => progress.begin(index),
    onProgress: (index, state) => progress.update(index, state),
  });
  try {
    for (const job of jobs) {
      const outcome = 'job' in job ? (await settled.next()).value : { index: -1, milliseconds: 0, error: job.error };
      if (!outcome) break;
      await report(outcome, job, flags, totals, output);
    }
  } finally {
    // Also when nobody reads the lines any more: what is not finished is stopped and removed.
    await settled.return(undefined);
  }
  progress.finish();
  if (totals.total !== 1 && !flags.quiet) progress.line(describeTotals(totals, signal.aborted));
  return exitCodeFor(totals);
}

type Planned = { file: BatchFile } & ({ job: ExportJob } | { error: unknown });

/** @throws UsageError for names that would collide, before the first file is opened */
function planJobs({ all, mine, isMany }: BatchFiles, flags: ExportFlags, format: ExportFormat): Planned[] {
  const choice = toChoice(flags, format);
  const options = toFormatOptions(flags, format);
  const note = isBatch(flags, isMany)
    ? {
        version: packageVersion(),
        options: JSON.stringify({
          to: format.id,
          choice,
          parts: flags.parts === 'all' ? 'all' : undefined,
          ...options,
        }),
      }
    : undefined;
  const targets = findTargets(all, isMany, flags, format);
  const folders = new Set<string>();
  return mine.map((file) => {
    if (file.error !== undefined) return { file, error: file.error };
    const { target, isNamed } = targets.get(file.path)!;
    const folder = resolve(target, '..');
    const isNew = folders.size < folders.add(folder).size;
    const task = {
      path: file.path,
      format: format.id,
      target,
      isNamed,
      choice,
      ...(flags.parts ? { parts: flags.parts } : {}),
      options,
      overwrite: flags.overwrite ?? false,
      removeLeftovers: isNew,
      maxPlaneBytes:
        flags.maxPlaneBytes === undefined
          ? defaultOptions().maxPlaneBytes
          : parseSize(flags.maxPlaneBytes, '--max-plane-bytes'),
      token: createToken(),
    };
    return { file, job: { kind: 'export', task, ...(note ? { note } : {}) } };
  });
}

/** A batch can be repeated: its outputs have notes. */
function isBatch({ jsonl, from, retry, shard, out }: ExportFlags, isMany: boolean): boolean {
  return (
    jsonl === true || from !== undefined || retry !== undefined || shard !== undefined || (isMany && out !== undefined)
  );
}

function findTargets(
  all: readonly BatchFile[],
  isMany: boolean,
  flags: ExportFlags,
  format: ExportFormat,
): Map<string, { target: string; isNamed: boolean }> {
  const { extension } = format;
  const out = resolve(flags.out ?? '.');
  const [only] = all;
  if (!isMany && flags.base === undefined && only) {
    const isNamed = flags.out !== undefined && !isFolderFor(flags.out, extension);
    return new Map([[only.path, { target: isNamed ? out : join(out, `${stemOf(only.path)}${extension}`), isNamed }]]);
  }
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new UsageError(`--out ${flags.out}: is a file, but several files are exported. Give a folder.`);
  }
  const paths = all.filter(({ error }) => error === undefined).map(({ path }) => path);
  const base = flags.base === undefined ? undefined : resolve(flags.base);
  try {
    const targets = planTargets(paths, { extension, out, base });
    return new Map(paths.map((path, i) => [path, { target: targets[i]!, isNamed: false }]));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** True when `--out` is where the output goes, and not its name. */
function isFolderFor(out: string, extension: string): boolean {
  if (out.endsWith('/') || out.endsWith(sep)) return true;
  return !out.endsWith(extension) && (statSync(out, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

async function report(
  settled: Settled<ExportOutcome>,
  { file }: Planned,
  flags: ExportFlags,
  totals: Totals,
  { print, progress }: ExportOutput,
) {
  progress.end(settled.index);
  const { milliseconds } = settled;
  if ('error' in settled) {
    totals.failed += 1;
    const { code, message, stack } = toFailure(settled.error);
    if (flags.jsonl) await print(toLine({ path: file.path, ok: false, milliseconds, error: code, message }));
    else progress.line(toMessage(`${code}: ${message}`));
    if (stack !== undefined) progress.line(toMessage(stack));
    return;
  }
  const { output, bytes, sha256, source, isSkipped, warnings, notes } = settled.value;
  totals[isSkipped ? 'skipped' : 'exported'] += 1;
  if (flags.jsonl) {
    const skipped = isSkipped ? { skipped: true } : {};
    await print(
      toLine({
        path: file.path,
        ok: true,
        output,
        bytes,
        sha256,
        source,
        milliseconds,
        ...skipped,
        warnings: [...warnings, ...notes],
      }),
    );
  } else if (!flags.quiet) {
    progress.line(`${basename(file.path)} → ${output}${isSkipped ? ' (already finished)' : ''}`);
    const said = [...new Set([...warnings, ...notes])];
    for (const warning of said.slice(0, MAX_WARNINGS)) progress.line(toMessage(`warning: ${warning}`));
    const more = said.length - MAX_WARNINGS;
    if (more > 0) progress.line(`${plural(more, 'more warning')}: use --jsonl for all of them`);
  }
}

function toLine(document: object): string {
  return visible(JSON.stringify(document));
}

function describeTotals({ total, exported, skipped, failed }: Totals, isStopped: boolean): string {
  const parts = [`${grouped(exported)} exported`];
  if (skipped > 0) parts.push(`${grouped(skipped)} already finished`);
  if (failed > 0) parts.push(`${grouped(failed)} failed`);
  const rest = total - exported - skipped - failed;
  if (isStopped && rest > 0) parts.push(`${grouped(rest)} not exported, because the program was stopped`);
  return `${plural(total, 'file')}: ${parts.join(', ')}`;
}
