/** Runs the checks of the kit against a server. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { CHECKS } from './checks/index.js';
import { parseFields } from './checks/presence.js';
import { Context } from './context.js';
import { Failure, NoAnswer, Skipped } from './failure.js';
import type { KitFiles } from './files/kit-files.js';
import type { Target } from './target.js';
import type { Check, Result } from './types.js';

export interface Choice {
  api: 'v1' | 'v2';
  /** Also what this project added to v2, or decided where the contract is open. */
  additions: boolean;
}

/** Returns the checks of an API. */
export function chooseChecks({ api, additions }: Choice): Check[] {
  return CHECKS.filter((check) => check.api === api && (additions || check.level === 'contract'));
}

/**
 * Fails early when no check could pass: nothing answers, or the server cannot read the files.
 * @throws AcqError with what to do
 */
export async function expectReadable(server: Target, files: KitFiles, api: Choice['api']): Promise<void> {
  const answer = await server.post(`/api/${api}/open`, { path: files.frame }).catch((error: Failure) => {
    throw new AcqError(
      'not_found',
      error instanceof NoAnswer
        ? `No server answers at ${server.base}: ${error.message}. Start it, or check the address.`
        : `${server.base}: ${error.message}. Check the address.`,
    );
  });
  if (answer.status === 401)
    throw new AcqError('unauthorized', `${server.base} needs its token. Pass it with --token.`);
  const { error, sessionId } = parseFields(answer.body);
  if (api === 'v2' && typeof sessionId === 'string') await server.ask('DELETE', `/api/v2/sessions/${sessionId}`);
  if (typeof error === 'string' && error.startsWith('path_not_')) {
    throw new AcqError(
      'path_not_readable',
      `The server at ${server.base} cannot read ${files.folder} (${error}). Pass --files with a folder that it can read, ` +
        'for example one below its --root; if that folder has another path on the computer of the server, also pass --server-files.',
    );
  }
}

/**
 * Runs checks one after the other, and calls `report` after each. Ends with one that is required and fails. Never throws for
 * what a server does.
 */
export async function runChecks(
  checks: readonly Check[],
  { server, files }: { server: Target; files: KitFiles },
  report: (result: Result) => void = () => {},
): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    const result = await runCheck(check, new Context(server, files));
    results.push(result);
    report(result);
    if (check.isRequired && result.status === 'failed') break;
  }
  return results;
}

async function runCheck({ id, level, title, run }: Check, context: Context): Promise<Result> {
  const start = performance.now();
  const { status, message } = await run(context).then(() => ({ status: 'passed', message: '' }) as const, toOutcome);
  await context.close();
  return { id, level, title, status, message, milliseconds: Math.round(performance.now() - start) };
}

function toOutcome(error: unknown): Pick<Result, 'status' | 'message'> {
  if (error instanceof Skipped) return { status: 'skipped', message: error.message };
  if (error instanceof Failure) return { status: 'failed', message: error.message };
  // A value of an unexpected type, in an answer that no schema describes.
  return { status: 'failed', message: `an answer cannot be used: ${(error as Error).message}` };
}
