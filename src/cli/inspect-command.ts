import { basename, resolve } from 'node:path';
import { inspect as inspectValue } from 'node:util';
import type { ErrorEnvelope } from '../contract/error.js';
import type { OpenDescription } from '../describe.js';
import { AcqError, unsupported } from '../errors.js';
import { exhaustionError } from '../io/exhaustion.js';
import { EXIT } from './exit-codes.js';
import type { InspectFlags } from './flags.js';
import { describeFile, toText } from './inspect.js';
import { isPlainFolder, pathsIn } from './inspect-targets.js';
import { visible, visibleJson, visibleLines } from './visible.js';

/** Where the command writes: lines without their ends. */
export interface Output {
  /** Resolves when the line has been handed to the system. */
  print(text: string): Promise<void>;
  complain(text: string): void;
}

interface Result {
  /** Absolute path that was inspected. */
  path: string;
  answer: OpenDescription | ErrorEnvelope;
}

/** `acqstore inspect`: describes files and folders; errors of one do not affect the others. Returns the exit code. */
export async function inspect(args: readonly string[], flags: InspectFlags, output: Output): Promise<number> {
  const paths = args.map((argument) => resolve(argument));
  const results: Result[] = [];
  let printed = 0;
  let failed = 0;
  for await (const result of inspectAll(paths, flags, output)) {
    if (!result.answer.ok) failed += 1;
    if (flags.json) results.push(result);
    else if (flags.jsonl) await output.print(toLine(result));
    else if (result.answer.ok) await output.print(`${printed++ > 0 ? '\n' : ''}${toText(result.answer)}`);
    else output.complain(`acqstore: ${result.answer.error}: ${visible(result.answer.message)}`);
  }
  if (flags.json) await output.print(toDocument(results, paths.length > 1 || paths.some(isPlainFolder)));
  return failed > 0 ? EXIT.failed : EXIT.ok;
}

async function* inspectAll(paths: readonly string[], flags: InspectFlags, output: Output): AsyncGenerator<Result> {
  for (const path of paths) {
    if (isPlainFolder(path)) yield* inspectFolder(path, flags, output);
    else yield { path, answer: await answerOrEnvelope(() => describeFile(path, flags), output) };
  }
}

async function* inspectFolder(folder: string, flags: InspectFlags, output: Output): AsyncGenerator<Result> {
  const inside = await answerOrEnvelope(() => openableIn(folder), output);
  if (!Array.isArray(inside)) {
    yield { path: folder, answer: inside };
    return;
  }
  for (const path of inside) yield { path, answer: await answerOrEnvelope(() => describeFile(path, flags), output) };
}

function openableIn(folder: string): string[] {
  const paths = pathsIn(folder);
  if (paths.length > 0) return paths;
  throw unsupported(
    `${basename(folder)}: contains nothing that can be opened. Subfolders are not searched; name the one to inspect.`,
  );
}

async function answerOrEnvelope<T>(action: () => T | Promise<T>, output: Output): Promise<T | ErrorEnvelope> {
  try {
    return await action();
  } catch (error) {
    return toEnvelope(error, output);
  }
}

/** Returns the answer of the API. Prints the stack of an unexpected error, which is a bug, to standard error. */
function toEnvelope(thrown: unknown, output: Output): ErrorEnvelope {
  const known = thrown instanceof AcqError ? thrown : exhaustionError('The file cannot be read', thrown);
  if (known) return { ok: false, error: known.code, message: known.message, details: known.details };
  output.complain(`acqstore: ${visibleLines(inspectValue(thrown))}`);
  return { ok: false, error: 'internal_error', message: String(thrown), details: null };
}

function toLine({ path, answer }: Result): string {
  return visible(JSON.stringify({ path, ...answer }));
}

/** Returns the answer of the API for one file; for several or a folder, an array of answers with their paths. */
function toDocument(results: readonly Result[], isArray: boolean): string {
  const document = isArray ? results.map(({ path, answer }) => ({ path, ...answer })) : results[0]?.answer;
  return visibleJson(JSON.stringify(document, null, 2));
}
