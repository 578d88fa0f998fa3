import { checkChoice } from '@acquisition-store/client/answers/describe.js';
import { Cancelled, OpenResponse } from '@acquisition-store/client/contract/open.js';
import { Type } from 'typebox';
import type { AskUser } from '../ask-user.js';
import type { AppDependencies } from '../dependencies.js';
import { operation } from '../operation.js';
import { OPEN_ERRORS } from '../operation-errors.js';
import { checkDialog } from '../ownership.js';
import { clientSignal, untilStopped } from '../request-life.js';
import type { App } from '../types.js';
import { PickAndOpenBody } from '../validation.js';
import { openTimed } from './open.js';

export function pickRoute(app: App, deps: AppDependencies, ask: AskUser): void {
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
    async ({ body: { kind = 'file', extensions, ttlSeconds, ...options }, caller, log }, reply) => {
      checkChoice(options);
      checkDialog(caller);
      const signal = clientSignal(reply, stopping);
      const asked = ask(caller, { kind, extensions: [...(extensions ?? allowedExtensions)], signal });
      const picked = await untilStopped(stopping, asked);
      if (picked.status !== 'ok') {
        return { ok: false as const, error: 'cancelled' as const, message: picked.message, details: null };
      }
      const { path } = picked;
      log.info({ path }, 'opening the choice of the user');
      const given = { path, options, picked: true, openedBy: caller, signal, ttlSeconds };
      return untilStopped(stopping, openTimed(deps, reply, given));
    },
  );
}
