/** Tells those who follow a recording that its files have changed. */

import {
  type ChangedEvent,
  type EndedEvent,
  EVENT_STREAM,
  type StateEvent,
} from '@acquisition-store/client/contract/events.js';
import { SessionParams } from '@acquisition-store/client/contract/session.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { Follower } from '../../sessions/file-watch.js';
import type { AppDependencies } from '../dependencies.js';
import { EventStream } from '../event-stream.js';
import { eventOperation } from '../operation.js';
import { untilStopped, whenClosed } from '../request-life.js';
import type { App } from '../types.js';

const URL = '/api/v2/sessions/:sessionId/events';

const ERRORS: readonly ErrorCode[] = ['session_not_found', 'session_store_unavailable'];

const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store',
  // nginx would keep events back until it has some kilobytes.
  'x-accel-buffering': 'no',
};

/**
 * Registers the stream of events. HEAD has its own route, because the framework's would follow for ever.
 * @param aliveMs milliseconds between two comments
 */
export function eventRoutes(app: App, { sessions, following, stopping }: AppDependencies, aliveMs: number): void {
  const streams = new Set<EventStream>();
  const alive = setInterval(() => {
    for (const stream of streams) stream.comment('alive');
  }, aliveMs).unref();
  app.addHook('onClose', async () => clearInterval(alive));
  const head = eventOperation({
    method: 'HEAD',
    id: 'headEvents',
    tag: 'Sessions',
    summary: 'Headers of the events of a session',
    description: 'Says whether the session can be followed, without following it.',
    params: SessionParams,
    errors: ERRORS,
  });
  app.head(URL, head, async ({ params }, reply) => {
    sessions.status(params.sessionId);
    return reply.headers(HEADERS).send();
  });
  app.get(URL, operation(), async ({ params: { sessionId } }, reply) => {
    const stream = new EventStream();
    const stop = await untilStopped(stopping, following.follow(sessionId, toFollower(sessionId, stream)));
    streams.add(stream);
    const leave = () => {
      streams.delete(stream);
      stop();
    };
    whenClosed(reply.raw, leave);
    if (reply.raw.destroyed) leave();
    // The headers leave with the first bytes.
    stream.comment('following');
    return reply.headers(HEADERS).send(stream);
  });
}

function operation() {
  return eventOperation({
    id: 'getEvents',
    tag: 'Sessions',
    summary: 'Events of a session, while its files are written',
    description:
      'Server-sent events that follow a file that grows, or a folder that is being recorded. Each has one line of JSON with `ok`, ' +
      '`apiVersion` and `sessionId`. `state` comes first; its `revision` is the `source.revision` of the open response as long as ' +
      'nothing has changed, and `null` while the storage does not answer. `changed` has a new `revision`: a file has grown, was ' +
      'replaced or was added. The session stays what it was opened as, so open the path again to see more. `ended` is the last ' +
      'event, with the `reason`: `deleted`, `expired`, or `stopped` when the server stops. A comment comes at least every 15 ' +
      'seconds. The files are looked at once a second at most, for all who follow. Following does not extend the life of the session.',
    params: SessionParams,
    errors: [
      ...ERRORS,
      'source_changed',
      'path_not_found',
      'path_not_allowed',
      'path_not_readable',
      'storage_unavailable',
      'load_timeout',
    ],
  });
}

function toFollower(sessionId: string, stream: EventStream): Follower {
  const common = { ok: true, apiVersion: API_VERSION, sessionId } as const;
  return {
    onState: (revision) => stream.send('state', { ...common, revision } satisfies StateEvent),
    onChange: (revision) => stream.send('changed', { ...common, revision } satisfies ChangedEvent),
    onEnd: (reason) => stream.finish('ended', { ...common, reason } satisfies EndedEvent),
  };
}
