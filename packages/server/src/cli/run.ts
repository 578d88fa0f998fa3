import { inspect as inspectValue } from 'node:util';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { CommanderError } from 'commander';
import { collectWhenGrown } from '../collect-garbage.js';
import { packageVersion } from '../package-files.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { keepCompiledCode } from './compiled-code.js';
import { EXIT } from './exit-codes.js';
import type { StateFlags } from './flags.js';
import { formatList, formatTable } from './formats.js';
import { complain } from './message.js';
import { type Actions, createProgram } from './program.js';
import { stopOnSignals } from './stop-signal.js';
import { UsageError } from './usage-error.js';
import { visible, visibleLines } from './visible.js';

/** Each command loads only what it needs: the schemas alone take half a second on a slow computer. */
const actions: Actions = {
  async serve(flags, configFile) {
    const { resolveSettings } = await import('./settings.js');
    const file = configFile ?? process.env['ACQSTORE_CONFIG'];
    const settings = resolveSettings({ flags, env: process.env, ...(file ? { file } : {}) });
    keepCompiledCode(settings.stateDir);
    collectWhenGrown();
    const { serve } = await import('./serve.js');
    return serve(settings);
  },
  async status(flags) {
    const { status } = await import('./status.js');
    return status(await findStateDir(flags), flags);
  },
  async stop(flags) {
    const { stop } = await import('./stop.js');
    return stop(await findStateDir(flags), flags);
  },
  async token(name, flags) {
    const { makeToken } = await import('./token.js');
    return makeToken(name, flags, { print, tell: (text) => console.error(text) });
  },
  async mcp(flags) {
    const { mcp } = await import('./mcp/index.js');
    return mcp(flags);
  },
  async inspect(paths, flags) {
    const { inspect } = await import('./inspect-command.js');
    return inspect(paths, flags, { print, complain });
  },
  async catalog(paths, flags) {
    const { catalog } = await import('./catalog.js');
    const stop = stopOnSignals();
    return stop.exitCode(await catalog(paths, flags, { print, complain, signal: stop.signal }));
  },
  async check(paths, flags) {
    const { check } = await import('./check.js');
    const stop = stopOnSignals();
    return stop.exitCode(await check(paths, flags, { print, complain, signal: stop.signal }));
  },
  async export(paths, flags) {
    const { runExport } = await import('./export.js');
    return runExport(paths, flags, print);
  },
  async formats({ json }) {
    process.stdout.write(`${json ? JSON.stringify(formatList(), null, 2) : formatTable()}\n`);
    return EXIT.ok;
  },
  async conformance(baseUrl, flags) {
    const { conformance } = await import('./conformance.js');
    return conformance(baseUrl, flags, print);
  },
  async completions(shell, program) {
    const { completionScript } = await import('./completions/index.js');
    process.stdout.write(completionScript(shell, program));
    return EXIT.ok;
  },
};

async function findStateDir({ stateDir, config = process.env['ACQSTORE_CONFIG'] }: StateFlags): Promise<string> {
  const { resolveStateDir } = await import('./settings.js');
  return resolveStateDir({ flags: { 'state-dir': stateDir }, env: process.env, ...(config ? { file: config } : {}) });
}

/** Resolves when the system has the line, because the next one may take long. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** Exits when a reader such as `head` closes the pipe early. */
function exitWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.ok);
  });
}

/** True for a command that goes on, or ends in its own way, when nobody reads its output. */
function answersOtherwise(args: readonly string[]): boolean {
  const command = args.find((arg) => !arg.startsWith('-'));
  return /^(serve|export|mcp)$/.test(command ?? '') && !args.some((arg) => arg === '--help' || arg === '-h');
}

/** Runs a command line and resolves to its exit code. Never throws. */
export async function run(args: string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(packageVersion(), actions, (code) => {
    exitCode = code;
  });
  if (!answersOtherwise(args)) exitWithReader();
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return printError(error);
  }
}

/** Prints an error as one line without a stack; Commander has already printed its own. Returns the exit code. */
function printError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    complain(visible(error.message));
    return EXIT.usage;
  }
  const known = error instanceof AcqError ? error : exhaustionError('The command cannot be run', error);
  if (known) complain(`${known.code}: ${visible(known.message)}`);
  else complain(visibleLines(inspectValue(error)));
  return EXIT.failed;
}
