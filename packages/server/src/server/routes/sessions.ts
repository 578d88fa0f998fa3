import { NoFields } from '@acquisition-store/client/contract/common.js';
import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import {
  AcquisitionQuery,
  DeleteResult,
  SessionParams,
  SessionStatus,
} from '@acquisition-store/client/contract/session.js';
import type { AppDependencies } from '../dependencies.js';
import { operation } from '../operation.js';
import { READ_ERRORS } from '../operation-errors.js';
import { clientSignal, untilStopped } from '../request-life.js';
import type { App } from '../types.js';

const URL = '/api/v2/sessions/:sessionId';

export function sessionRoutes(app: App, { sessions, sources, stopping }: AppDependencies): void {
  app.get(
    URL,
    operation({
      id: 'getSession',
      tag: 'Sessions',
      summary: 'Status of a session',
      params: SessionParams,
      ok: SessionStatus,
      access: 'consent',
      errors: ['session_not_found', 'session_store_unavailable'],
    }),
    async ({ params }) => sessions.status(params.sessionId),
  );
  app.get(
    `${URL}/acquisition`,
    operation({
      id: 'getAcquisition',
      tag: 'Sessions',
      summary: 'The open response of a session again',
      description:
        'For a client that knows only the id of the session. With `metadata=true` it contains what the recording software ' +
        'wrote about the recording.',
      params: SessionParams,
      query: AcquisitionQuery,
      ok: OpenResponse,
      access: 'consent',
      errors: ['session_not_found', 'session_store_unavailable', ...READ_ERRORS],
    }),
    async ({ params: { sessionId }, query }, reply) => {
      if (query.metadata !== 'true') return sessions.acquisition(sessionId);
      const signal = clientSignal(reply, stopping);
      return untilStopped(stopping, sources.withMetadata(sessionId, signal));
    },
  );
  app.post(
    `${URL}/renew`,
    operation({
      id: 'renewSession',
      tag: 'Sessions',
      summary: 'Start the time-to-live of a session again',
      params: SessionParams,
      body: NoFields,
      ok: SessionStatus,
      access: 'consent',
      errors: ['session_not_found', 'session_store_unavailable'],
    }),
    async ({ params }) => sessions.renew(params.sessionId),
  );
  app.delete(
    URL,
    operation({
      id: 'deleteSession',
      tag: 'Sessions',
      summary: 'End a session',
      description: 'Downloads in progress are completed.',
      params: SessionParams,
      ok: DeleteResult,
      access: 'consent',
      errors: ['session_not_found', 'session_store_unavailable', 'payload_too_large', 'unsupported_media_type'],
    }),
    async ({ params }) => sessions.delete(params.sessionId),
  );
}
