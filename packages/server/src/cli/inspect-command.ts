import type { ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { ErrorEnvelope } from '@acquisition-store/client/contract/error.js';
import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { type DescribeOptions, describeFile } from '../batch/describe-file.js';
import type { InspectJob } from '../batch/protocol.js';
import { runJobs } from '../batch/runner.js';
import { defaultOptions } from '../options.js';
import { type BatchFile, collectFiles } from './batch-files.js';
import { exitCodeFor, toFailure } from './batch-result.js';
import type { InspectFlags } from './flags.js';
import { toText } from './inspect.js';
import { visible, visibleJson, visibleLines } from './visible.js';

/** Where the command writes: lines without their ends. */
export interface Output {
  /** Resolves when the line has been handed to the system. */
  print(text: string): Promise<void>;
  /** Says why something failed. */
  complain(text: string): void;
}

interface Result {
  /** Absolute path that was inspected. */
  path: string;
  answer: OpenDescription | ErrorEnvelope;
}

/** `acqstore inspect`: describes files and folders; errors of one do not affect the others. Returns the exit code. */
export async function inspect(args: readonly string[], flags: InspectFlags, output: Output): Promise<number> {
  const { mine, isMany } = await collectFiles(args, flags);
  const results: Result[] = [];
  let printed = 0;
  let failed = 0;
  for await (const result of inspectAll(mine, flags, output)) {
    if (!result.answer.ok) failed += 1;
    if (flags.json) results.push(result);
    else if (flags.jsonl) await output.print(toLine(result));
    else if (result.answer.ok) await output.print(`${printed++ > 0 ? '\n' : ''}${toText(result.answer)}`);
    else output.complain(`${result.answer.error}: ${visible(result.answer.message)}`);
  }
  if (flags.json) await output.print(toDocument(results, isMany));
  return exitCodeFor({ total: mine.length, failed });
}

async function* inspectAll(files: readonly BatchFile[], flags: InspectFlags, output: Output): AsyncGenerator<Result> {
  const choice = toChoice(flags);
  const good = files.filter(({ error }) => error === undefined);
  const answers = good.length > 1 ? inThreads(good, choice, flags) : inThisThread(good, choice, flags);
  for (const { path, error } of files) {
    try {
      if (error !== undefined) throw error;
      const next = (await answers.next()).value as OpenDescription | { error: unknown };
      if ('error' in next) throw next.error;
      yield { path, answer: next };
    } catch (thrown) {
      yield { path, answer: toEnvelope(thrown, output) };
    }
  }
  await answers.return(undefined);
}

type DescribedFiles = AsyncGenerator<OpenDescription | { error: unknown }, void, unknown>;

/** A file that never ends, or takes all memory, must not take the others with it. */
async function* inThreads(files: readonly BatchFile[], choice: ViewChoice, flags: InspectFlags): DescribedFiles {
  const describing = toDescribeOptions(flags);
  const jobs = files.map(({ path }): InspectJob => ({ kind: 'inspect', path, choice, options: describing }));
  const options = {
    workers: flags.workers ?? 0,
    timeoutSeconds: flags.timeout ?? defaultOptions().openTimeoutSeconds,
    signal: new AbortController().signal,
  };
  for await (const settled of runJobs<'inspect'>(jobs, options)) {
    yield 'error' in settled ? { error: settled.error } : settled.value;
  }
}

/** One file needs no thread, which takes longer to start than most files to describe. */
async function* inThisThread(files: readonly BatchFile[], choice: ViewChoice, flags: InspectFlags): DescribedFiles {
  for (const { path } of files) {
    try {
      yield await describeFile(path, choice, toDescribeOptions(flags));
    } catch (error) {
      yield { error };
    }
  }
}

function toDescribeOptions({ metadata = false }: InspectFlags): DescribeOptions {
  return { metadata };
}

function toChoice({ scene, time, z, parts }: InspectFlags): ViewChoice {
  const selection = {
    ...(scene === undefined ? {} : { S: scene }),
    ...(time === undefined ? {} : { T: time }),
    ...(z === undefined ? {} : { Z: z }),
  };
  return { ...(Object.keys(selection).length > 0 ? { selection } : {}), ...(parts ? { parts } : {}) };
}

/** Returns the answer of the API. Prints the stack of an unexpected error, which is a bug, to standard error. */
function toEnvelope(thrown: unknown, output: Output): ErrorEnvelope {
  const { code, message, details, stack } = toFailure(thrown);
  if (stack !== undefined) output.complain(visibleLines(stack));
  // Only exports fail with other codes.
  return { ok: false, error: code as ErrorCode, message, details };
}

function toLine({ path, answer }: Result): string {
  return visible(JSON.stringify({ path, ...answer }));
}

/** Returns the answer of the API for one file; for several or a folder, an array of answers with their paths. */
function toDocument(results: readonly Result[], isArray: boolean): string {
  const document = isArray ? results.map(({ path, answer }) => ({ path, ...answer })) : results[0]?.answer;
  return visibleJson(JSON.stringify(document, null, 2));
}
