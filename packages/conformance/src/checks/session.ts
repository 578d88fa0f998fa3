import { Capabilities } from '@acquisition-store/client/contract/common.js';
import { DeleteResult, SessionStatus } from '@acquisition-store/client/contract/session.js';
import { type Context, channelOf, expectError, frameSamples } from '../context.js';
import { ensure, equal } from '../failure.js';
import { FRAME } from '../files/kit-files.js';
import { toParts } from '../parts.js';
import { matchesContract } from '../schema.js';
import type { Check } from '../types.js';

export async function readStatus({ server }: Context, sessionId: string): Promise<SessionStatus> {
  const status = (await server.get(`/api/v2/sessions/${sessionId}`)).expectStatus(200).json();
  return toParts(SessionStatus, status, 'the session status');
}

export const session: readonly Check[] = [
  {
    id: 'session.response',
    api: 'v2',
    level: 'contract',
    title: 'GET of a session answers with every field of the contract',
    async run(context) {
      const { sessionId } = await context.openFrame();
      const status = (await context.server.get(`/api/v2/sessions/${sessionId}`)).expectStatus(200).json();
      matchesContract(SessionStatus, status, 'the session status');
    },
  },
  {
    id: 'session.status',
    api: 'v2',
    level: 'contract',
    title: 'GET of a session lists its channels and counts their bytes',
    async run(context) {
      const { sessionId } = await context.openFrame();
      const status = await readStatus(context, sessionId);
      equal(status.sessionId, sessionId, '`sessionId` of the status');
      equal(status.channelIndices, [0, 1], '`channelIndices`');
      equal(status.referenceChannelIndices, [], '`referenceChannelIndices`');
      equal(status.totalBytes, 2 * 4 * FRAME.rows * FRAME.columns, '`totalBytes`');
    },
  },
  {
    id: 'session.part',
    api: 'v2',
    level: 'contract',
    title: 'a session holds the channels that were asked for',
    async run(context) {
      const { sessionId } = await context.openFrame({ channelIndices: [1] });
      const status = await readStatus(context, sessionId);
      equal(status.channelIndices, [1], '`channelIndices`');
      equal(status.totalBytes, 4 * FRAME.rows * FRAME.columns, '`totalBytes`');
    },
  },
  {
    id: 'session.time-to-live',
    api: 'v2',
    level: 'contract',
    title: 'a new session has at most the time-to-live of the capabilities left',
    async run(context) {
      const capabilities = (await context.server.get('/api/v2/capabilities')).json();
      const { sessionTtlSeconds: limit } = toParts(Capabilities, capabilities, 'the capabilities');
      const { sessionId } = await context.openFrame();
      const { ttlSecondsRemaining } = await readStatus(context, sessionId);
      const fits = ttlSecondsRemaining > 0 && ttlSecondsRemaining <= limit;
      ensure(fits, `\`ttlSecondsRemaining\` is ${ttlSecondsRemaining}; expected more than 0 and at most ${limit}`);
    },
  },
  {
    id: 'session.delete',
    api: 'v2',
    level: 'contract',
    title: 'DELETE of a session says that it was deleted',
    async run(context) {
      const { sessionId } = await context.openFrame();
      const result = (await context.server.ask('DELETE', `/api/v2/sessions/${sessionId}`)).expectStatus(200).json();
      matchesContract(DeleteResult, result, 'the delete result');
      equal(result.sessionId, sessionId, '`sessionId` of the delete result');
    },
  },
  {
    id: 'session.ended',
    api: 'v2',
    level: 'contract',
    title: 'a deleted session is not found by any address',
    async run(context) {
      const { sessionId, channels } = await context.openFrame();
      const address = `/api/v2/sessions/${sessionId}`;
      (await context.server.ask('DELETE', address)).expectStatus(200);
      expectError(await context.server.get(address), 'session_not_found');
      expectError(await context.server.get(channelOf(channels, 0).dataUrl), 'session_not_found');
      expectError(await context.server.ask('DELETE', address), 'session_not_found');
    },
  },
  {
    id: 'session.others',
    api: 'v2',
    level: 'contract',
    title: 'deleting a session leaves the others open',
    async run(context) {
      const [first, second] = [await context.openFrame(), await context.openFrame()];
      (await context.server.ask('DELETE', `/api/v2/sessions/${first.sessionId}`)).expectStatus(200);
      await context.expectPlane(channelOf(second.channels, 0).dataUrl, frameSamples(0));
    },
  },
];
