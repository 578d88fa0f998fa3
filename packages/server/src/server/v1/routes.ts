/** The frozen API v1, over the same sessions and workers as v2, with sessions of its own. */

import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { V1_ROLES, V1Cancelled, V1OpenSuccess } from '@acquisition-store/client/contract/v1.js';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ServerOptions } from '../../options.js';
import { packageVersion } from '../../package-files.js';
import { shownPath } from '../../paths/policy.js';
import type { OpenSessionRequest, PlaneAddress } from '../../sessions/types.js';
import type { AskUser } from '../ask-user.js';
import type { AppDependencies } from '../dependencies.js';
import { ownerOf } from '../guard.js';
import { checkDialog } from '../ownership.js';
import { clientSignal, holdUntilSent, pinPlane, untilStopped } from '../request-life.js';
import { bodyBytes, planeBody } from '../routes/data.js';
import type { App } from '../types.js';
import { V1Refusal } from './errors.js';
import { v1Health } from './health.js';
import { v1OpenApi } from './openapi.js';
import { toPythonG } from './python.js';
import { checkNotNegative, readOpen, readPick, type V1Open } from './request.js';
import { chooseChannels, toOpenSuccess } from './response.js';

/** Also answers HEAD in v2; v1 never did. */
const GET = { exposeHeadRoute: false } as const;

export function v1Routes(app: App, options: ServerOptions, deps: AppDependencies, ask: AskUser): void {
  // Read here: an error inside the plugin would end the process.
  const version = packageVersion();
  app.register((scope, _options, done) => {
    // v1 parses bodies itself, whatever their type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
    const v1 = scope as unknown as App;
    v1Health(v1, version, options, deps);
    v1OpenApi(v1, version);
    openRoutes(v1, options, deps, ask);
    dataRoutes(v1, deps);
    done();
  });
}

function openRoutes(app: App, options: ServerOptions, deps: AppDependencies, ask: AskUser): void {
  app.post(
    '/api/v1/open',
    { config: { access: 'trusted', anyContentType: true }, schema: { response: { 200: V1OpenSuccess } } },
    async ({ body, caller, log }, reply) => {
      const request = readOpen(body);
      log.info({ path: request.path }, 'opening');
      const signal = clientSignal(reply, deps.stopping);
      const more = { picked: false, openedBy: caller, ...ownerOf({ caller }), signal };
      return untilStopped(deps.stopping, open(options, deps, request, more));
    },
  );
  const answer = Type.Union([V1OpenSuccess, V1Cancelled]);
  app.post(
    '/api/v1/pick-and-open',
    { config: { access: 'consent', anyContentType: true }, schema: { response: { 200: answer } } },
    async ({ body, caller, log }, reply) => {
      const { channels, extensions } = readPick(body);
      checkDialog(caller);
      const signal = clientSignal(reply, deps.stopping);
      const offered = extensions.length > 0 ? extensions : [...deps.allowedExtensions];
      const asked = ask(caller, { kind: 'file', extensions: offered, signal });
      const picked = await untilStopped(deps.stopping, asked);
      if (picked.status !== 'ok') return { ok: false as const, error: 'cancelled' as const, message: picked.message };
      const { path } = picked;
      log.info({ path }, 'opening the choice of the user');
      const more = { picked: true, openedBy: caller, signal };
      return untilStopped(deps.stopping, open(options, deps, { path, written: path, channels }, more));
    },
  );
}

/** Opens a file in the order of v1: it must exist, its channels must not be negative, then it is decoded. */
async function open(
  { openTimeoutSeconds, roots }: ServerOptions,
  { sessions }: AppDependencies,
  { path, written, channels }: V1Open,
  more: Pick<OpenSessionRequest, 'picked' | 'openedBy' | 'owner' | 'folders' | 'signal'>,
): Promise<V1OpenSuccess> {
  const request = { path, written, ...more };
  const shown = more.picked ? path : shownPath(path, { roots, written, ...more });
  try {
    await sessions.checkFile(request).catch((error: unknown) => {
      throw isMissing(error) ? new V1Refusal('path_not_found', `File not found: ${shown}`) : error;
    });
    checkNotNegative(channels);
    const chooser = { chooseChannels: (count: number) => chooseChannels(channels, count) };
    const opened = await sessions.open({ ...request, options: chooser, api: 'v1' });
    return await toSuccess({ sessions }, opened, path);
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'load_timeout') throw error;
    throw new V1Refusal('load_timeout', `Open/decode exceeded ${toPythonG(openTimeoutSeconds)}s for path: ${shown}`);
  }
}

/** Returns the answer. Ends the session when v1 has none for it. */
async function toSuccess(
  { sessions }: Pick<AppDependencies, 'sessions'>,
  opened: OpenResponse,
  path: string,
): Promise<V1OpenSuccess> {
  try {
    return toOpenSuccess(opened, path);
  } catch (error) {
    await sessions.delete(opened.sessionId, 'v1');
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof AcqError && ['path_not_found', 'request_validation_failed'].includes(error.code);
}

function dataRoutes(app: App, deps: AppDependencies): void {
  const config = { config: { access: 'consent' as const }, ...GET };
  app.get<{ Params: { sessionId: string; role: string } }>(
    '/api/v1/session/:sessionId/channel/:role',
    config,
    async ({ params: { sessionId, role } }, reply) => {
      const position = (V1_ROLES as readonly string[]).indexOf(role);
      if (position < 0)
        throw new V1Refusal('channel_out_of_range', `Role must be "calcium" or "vessels", not "${role}"`);
      const channelIndex = deps.sessions.channelOrder(sessionId, 'v1')[position];
      if (channelIndex === undefined) throw new V1Refusal('path_not_found', `The session has no channel "${role}"`);
      return sendPlane(deps, { sessionId, kind: 'channel', channelIndex, api: 'v1' }, reply);
    },
  );
  app.get<{ Params: { sessionId: string; n: string } }>(
    '/api/v1/session/:sessionId/reference/channel/:n',
    config,
    async ({ params: { sessionId, n } }, reply) => {
      if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(n)) return sendIntFault(n, reply);
      const channelIndex = Number(n);
      if (channelIndex < 0) throw new V1Refusal('channel_out_of_range', 'Reference channel must be >= 0');
      return sendPlane(deps, { sessionId, kind: 'reference', channelIndex, api: 'v1' }, reply);
    },
  );
}

async function sendPlane(deps: AppDependencies, address: PlaneAddress, reply: FastifyReply): Promise<FastifyReply> {
  const length = planeByteLength(deps.sessions.planeShape(address));
  const data = await pinPlane(deps, address, 'served', reply);
  await holdUntilSent(deps, reply, bodyBytes(data, 'float32'));
  reply.headers({ 'content-type': BINARY.mediaType, 'content-length': length, 'cache-control': 'no-store' });
  return reply.send(planeBody(data, 'float32', 0, length));
}

/** Answers like the framework of v1, which checked this part of the address before v1 did. */
function sendIntFault(input: string, reply: FastifyReply): FastifyReply {
  const fault = {
    type: 'int_parsing',
    // The name that the last release gave this part.
    loc: ['path', 'channel'],
    msg: 'Input should be a valid integer, unable to parse string as an integer',
    input,
  };
  return reply
    .code(422)
    .type('application/json; charset=utf-8')
    .send({ detail: [fault] });
}
