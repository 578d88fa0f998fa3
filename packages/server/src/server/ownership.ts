/** On a server with users, sessions and uploads are found by those alone who began them. */

import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyRequest } from 'fastify';
import type { Who } from '../fair-line.js';
import { sessionNotFound } from '../sessions/answers.js';
import { partyOf } from '../sessions/record.js';
import type { SessionService } from '../sessions/service.js';
import type { Browsing } from '../storage/file-browser.js';
import type { UploadStore } from '../uploads/store.js';
import { uploadNotFound } from '../uploads/upload.js';
import type { Caller } from './caller.js';
import type { App } from './types.js';

/** Requests for sessions of others. */
const foreign = new WeakSet<FastifyRequest>();

/** Returns who looks for files. */
export function browsingOf(caller: Caller): Browsing & { who: Who } {
  const { owner, folders } = caller.user ?? {};
  return { ...(folders ? { folders } : {}), who: { party: partyOf(caller, owner), session: '' } };
}

/**
 * The dialog opens on the screen of the server and reaches all of its files, so that users do without.
 * @throws AcqError `picker_unavailable`
 */
export function checkDialog({ user }: Caller): void {
  if (!user) return;
  throw new AcqError('picker_unavailable', 'A server with users has no file dialog. Open the file by its path.');
}

/** True when the request was refused because the session belongs to somebody else. */
export function isForeignSession(request: FastifyRequest): boolean {
  return foreign.has(request);
}

interface Owned {
  sessions: Pick<SessionService, 'belongsTo'>;
  uploads: Pick<UploadStore, 'belongsTo'>;
}

/**
 * Checks every address with a session or an upload in it, so that no route can forget it. Who is not the owner gets the
 * answer of one that does not exist.
 */
export function checkOwners(app: App, { sessions, uploads }: Owned): void {
  app.addHook('preHandler', async (request) => {
    const { sessionId, uploadId } = (request.params ?? {}) as { sessionId?: string; uploadId?: string };
    const { owner, folders } = request.caller.user ?? {};
    const isOwn =
      (sessionId === undefined || (await sessions.belongsTo(sessionId, owner, folders))) &&
      (uploadId === undefined || uploads.belongsTo(uploadId, owner));
    if (isOwn) return;
    foreign.add(request);
    if (uploadId !== undefined) throw uploadNotFound();
    throw sessionNotFound(request.routeOptions.config.isStore ? 'session_ended' : 'session_not_found');
  });
}
