import { checkChoice } from '@acquisition-store/client/answers/describe.js';
import { Cancelled, OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { Type } from 'typebox';
import type { AskUser } from '../ask-user.js';
import { clientSignal, untilStopped } from '../client-signal.js';
import type { AppDependencies } from '../dependencies.js';
import { expandHome, OpenBody, PickAndOpenBody } from '../open-body.js';
import { operation } from '../operation.js';
import { isWarmUp } from '../own-request.js';
import { checkDialog, ownerOf } from '../ownership.js';
import { openTimed } from '../timed.js';
import type { App } from '../types.js';

/** Codes of everything that follows after the path is known. */
export const OPEN_ERRORS: readonly ErrorCode[] = [
  'invalid_channel_indices',
  'channel_out_of_range',
  'selection_out_of_range',
  'path_not_found',
  'path_not_allowed',
  'path_not_readable',
  'unsupported_format',
  'decode_failed',
  'companion_missing',
  'storage_unavailable',
  'session_store_unavailable',
  'load_timeout',
  'plane_too_large',
  'capacity_exceeded',
];

export function openRoutes(app: App, deps: AppDependencies, ask: AskUser): void {
  openByPath(app, deps);
  pickAndOpen(app, deps, ask);
}

function openByPath(app: App, deps: AppDependencies): void {
  const { stopping } = deps;
  app.post(
    '/api/v2/open',
    operation({
      id: 'openAcquisition',
      tag: 'Open',
      summary: 'Open an acquisition by its path',
      description: 'Answers when all requested planes are decoded. The session lives until it is deleted or expires.',
      body: OpenBody,
      ok: OpenResponse,
      errors: OPEN_ERRORS,
    }),
    async (request, reply) =>
      untilStopped(stopping, () => {
        const { path: requested, ttlSeconds, ...options } = request.body;
        const path = expandHome(requested);
        request.log.info({ path }, 'opening');
        const signal = clientSignal(reply, stopping);
        const own = isWarmUp(request) ? { picked: true, isWarmUp: true } : { picked: false };
        const who = { openedBy: request.caller, ...ownerOf(request.caller) };
        return openTimed(deps, reply, {
          path,
          written: requested,
          options,
          signal,
          ...who,
          ...own,
          ...life(ttlSeconds),
        });
      }),
  );
}

function pickAndOpen(app: App, deps: AppDependencies, ask: AskUser): void {
  const { allowedExtensions, stopping } = deps;
  app.post(
    '/api/v2/pick-and-open',
    operation({
      id: 'pickAndOpen',
      tag: 'Open',
      summary: 'Open the file or folder that the user picks in a file dialog',
      description:
        'The dialog opens on the computer of the server, and its title names the requester. ' +
        'Closing it without a choice is not a failure: the status is 200 and `error` is `cancelled`.',
      body: PickAndOpenBody,
      ok: Type.Union([OpenResponse, Cancelled], { description: 'The new session, or that nothing was chosen.' }),
      access: 'consent',
      errors: [...OPEN_ERRORS, 'picker_unavailable', 'picker_busy'],
    }),
    async ({ body: { kind = 'file', extensions, ttlSeconds, ...options }, caller, log }, reply) =>
      untilStopped(stopping, async () => {
        checkChoice(options);
        checkDialog(caller);
        const signal = clientSignal(reply, stopping);
        const picked = await ask(caller, { kind, extensions: [...(extensions ?? allowedExtensions)], signal });
        if (picked.status !== 'ok') {
          return { ok: false as const, error: 'cancelled' as const, message: picked.message, details: null };
        }
        log.info({ path: picked.path }, 'opening the choice of the user');
        const { path } = picked;
        const given = { path, options, picked: true, openedBy: caller, signal, ...life(ttlSeconds) };
        return openTimed(deps, reply, given);
      }),
  );
}

function life(ttlSeconds: number | undefined): { ttlSeconds?: number } {
  return ttlSeconds === undefined ? {} : { ttlSeconds };
}
