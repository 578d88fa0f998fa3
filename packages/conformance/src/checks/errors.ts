import { expectError, expectErrorFields } from '../context.js';
import { ensure, shorten } from '../failure.js';
import type { Check, Refusal } from '../types.js';

const UNKNOWN_SESSION = '0123456789abcdef0123456789abcdef';

function refusal(id: string, code: string, title: string, ask: Refusal['ask']): Refusal {
  return {
    id: `errors.${id}`,
    api: 'v2',
    level: 'contract',
    title,
    ask,
    async run(context) {
      expectError(await ask(context), code);
    },
  };
}

const refusals: readonly Refusal[] = [
  refusal('path', 'path_not_found', 'a path without a file is path_not_found', ({ server, files }) =>
    server.post('/api/v2/open', { path: files.missing }),
  ),
  refusal('format', 'unsupported_format', 'a text file is unsupported_format', ({ server, files }) =>
    server.post('/api/v2/open', { path: files.text }),
  ),
  refusal('channel-range', 'channel_out_of_range', 'an index above the channels is channel_out_of_range', (context) =>
    context.server.post('/api/v2/open', { path: context.files.frame, channelIndices: [99] }),
  ),
  refusal(
    'channel',
    'channel_not_found',
    'a channel that the session does not hold is channel_not_found',
    async (context) => {
      const { sessionId } = await context.openFrame({ channelIndices: [1] });
      return context.server.get(`/api/v2/sessions/${sessionId}/channels/0/data`);
    },
  ),
  refusal(
    'reference-channel',
    'reference_channel_not_found',
    'a reference plane of a file without one is reference_channel_not_found',
    async (context) => {
      const { sessionId } = await context.openFrame();
      return context.server.get(`/api/v2/sessions/${sessionId}/reference/channels/0/data`);
    },
  ),
  refusal('session', 'session_not_found', 'an unknown session is session_not_found', ({ server }) =>
    server.get(`/api/v2/sessions/${UNKNOWN_SESSION}`),
  ),
  refusal('plane', 'session_not_found', 'a plane of an unknown session is session_not_found', ({ server }) =>
    server.get(`/api/v2/sessions/${UNKNOWN_SESSION}/channels/0/data`),
  ),
  refusal(
    'reference-plane',
    'session_not_found',
    'a reference plane of an unknown session is session_not_found',
    ({ server }) => server.get(`/api/v2/sessions/${UNKNOWN_SESSION}/reference/channels/0/data`),
  ),
  refusal('delete', 'session_not_found', 'deleting an unknown session is session_not_found', ({ server }) =>
    server.ask('DELETE', `/api/v2/sessions/${UNKNOWN_SESSION}`),
  ),
  refusal(
    'picker',
    'request_validation_failed',
    'pick-and-open refuses a wrong body without showing a dialog',
    ({ server }) => server.post('/api/v2/pick-and-open', { channelIndices: 'all' }),
  ),
];

export const errors: readonly Check[] = [
  {
    id: 'errors.response',
    api: 'v2',
    level: 'contract',
    title: 'errors have every field of the contract',
    async run(context) {
      for (const { ask } of refusals) expectErrorFields(await ask(context));
    },
  },
  ...refusals,
  {
    id: 'errors.validation',
    api: 'v2',
    level: 'contract',
    title: 'an open without a path, or with a wrong type, is refused with details',
    async run({ server }) {
      for (const json of [{}, { path: 7 }, { path: '/a', channelIndices: 'all' }]) {
        const answer = await server.post('/api/v2/open', json);
        const { details } = expectError(answer, 'request_validation_failed');
        const isValue = details !== null && details !== undefined;
        ensure(isValue, `\`details\` of request_validation_failed is ${shorten(details)}; expected a value`);
      }
    },
  },
];
