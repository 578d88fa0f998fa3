import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { ServerOptions } from '../options.js';
import { askUser } from './ask-user.js';
import { auditRequests } from './audit.js';
import { defaultConnectionLimits } from './connection-limits.js';
import { Connections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import { sendError } from './errors.js';
import { BODY_LIMIT, expectsContinue, Guard } from './guard.js';
import { answerClientError, answerOddRequests } from './odd-requests.js';
import { documentRoutes } from './openapi/document.js';
import { checkOwners } from './ownership.js';
import { hasUsers, isWarmUp } from './policy.js';
import { holdWhileAnswering, sentBytes } from './request-life.js';
import { analysisRoutes } from './routes/analysis.js';
import { clientModuleRoutes } from './routes/client-module.js';
import { coordinateRoutes } from './routes/coordinates.js';
import { dataRoutes } from './routes/data.js';
import { discoveryRoutes } from './routes/discovery.js';
import { eventRoutes } from './routes/events.js';
import { fileRoutes } from './routes/files.js';
import { openRoute, takeBackRefused } from './routes/open.js';
import { pageRoutes } from './routes/pages.js';
import { pickRoute } from './routes/pick.js';
import { sessionRoutes } from './routes/sessions.js';
import { uploadRoutes } from './routes/uploads.js';
import { zarrRoutes } from './routes/zarr.js';
import type { App } from './types.js';
import { v1Routes } from './v1/routes.js';
import { parseJsonBody, SchemaChecks } from './validation.js';
import { warmUpWhenIdle } from './warm-up.js';

/** How long idle connections stay open: shorter than proxies and browsers assume. */
const KEEP_ALIVE_MS = 20_000;

/** Creates the HTTP interface without listening: tests inject requests, `startServer` listens. */
export async function createApp(
  options: ServerOptions,
  deps: AppDependencies,
  connections = new Connections(defaultConnectionLimits(options)),
): Promise<App> {
  const checks = new SchemaChecks();
  const guard = new Guard(options, deps);
  const app: App = Fastify({
    ...serverSettings(deps, connections, checks),
    ...(options.trustProxies.length > 0 ? { trustProxy: options.trustProxies } : {}),
    // Before everything else, so that preflights, 405 and logs know one address.
    rewriteUrl: ({ url = '/' }) => guard.toAddress(url),
    frameworkErrors: (error, request, reply) => {
      void answerUnroutable(guard, error, request as unknown as FastifyRequest, reply as unknown as FastifyReply);
    },
    clientErrorHandler: (error, socket) => answerClientError(app, connections, error, socket),
  }).withTypeProvider();

  app.setErrorHandler(sendError);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  app.addHook('onRoute', ({ url, method, config }) => {
    for (const name of [method].flat()) guard.addresses.add(url, name, config?.access ?? 'trusted');
  });
  const silent = deps.logger?.child({}, { level: 'silent' });
  app.addHook('onRequest', async (request, reply) => {
    if (silent && isWarmUp(request)) request.log = silent;
    const isWaiting = expectsContinue(request);
    // A refused client does not send the body that it announced, and its next bytes would be taken for the body.
    if (isWaiting) reply.header('connection', 'close');
    connections.identify(reply);
    const answer = (await guard.checkSender(request, reply)) ? reply : guard.checkRequest(request, reply);
    if (!isWaiting || answer) return answer;
    reply.removeHeader('connection');
    reply.raw.writeContinue();
    return undefined;
  });
  app.addHook('onResponse', async (request, reply) => {
    logResponse(request, reply);
    if (isWarmUp(request)) return;
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    deps.metrics?.request({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  takeBackRefused(app, deps);

  // Instances that share their sessions ask the store with each request.
  if (hasUsers(options) || options.sessionStore !== undefined) checkOwners(app, deps);
  holdWhileAnswering(app, deps);
  const { audit, sessions } = deps;
  if (audit) auditRequests({ app, audit, sessions, port: options.port });

  connections.follow(app, deps);
  deps.sessions.memory.onShortage((owner) => connections.dropStalled(owner));
  answerOddRequests(app, guard, connections);
  const toOpenApi = documentRoutes(app);
  discoveryRoutes(app, options, deps);
  const ask = askUser(deps.picker);
  openRoute(app, deps);
  pickRoute(app, deps, ask);
  fileRoutes(app, deps);
  uploadRoutes(app, deps, connections);
  sessionRoutes(app, deps);
  eventRoutes(app, deps, connections.limits.aliveMs);
  coordinateRoutes(app, deps);
  dataRoutes(app, deps);
  analysisRoutes(app, deps);
  zarrRoutes(app, deps);
  pageRoutes(app, options, deps, toOpenApi);
  clientModuleRoutes(app, deps.folders.client);
  v1Routes(app, options, deps, ask);
  warmUpWhenIdle(app, { options, deps, checks, connections });
  return app;
}

/** Returns the settings of the framework that do not depend on the app itself. */
function serverSettings({ logger }: AppDependencies, { limits }: Connections, checks: SchemaChecks) {
  return {
    ...(logger ? { loggerInstance: logger } : { logger: false as const }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    // `Connections` limits the time of each request; Node would end the upload of a large file.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Answer requests that arrive while the server stops like any other.
    return503OnClosing: false,
    // The guard refuses a missing Host header with an error envelope; Node's own answer has none.
    http: { requireHostHeader: false, headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
    // Longer than the longest header line, so that any text in a path part reaches its check.
    routerOptions: { maxParamLength: 65_536 },
    // Without these the framework loads its own compilers, which takes a fifth of the start and is never used.
    schemaController: {
      compilersFactory: {
        buildValidator: () => checks.request.bind(checks) as never,
        buildSerializer: () => checks.response.bind(checks) as never,
      },
    },
  };
}

/** Refuses an address that cannot be decoded, for which no hooks run. */
async function answerUnroutable(
  guard: Guard,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (expectsContinue(request)) reply.header('connection', 'close');
  try {
    if (!(await guard.checkSender(request, reply))) sendError(error, request, reply);
  } catch (refusal) {
    sendError(refusal, request, reply);
  }
  logResponse(request, reply);
}

function logResponse(request: FastifyRequest, reply: FastifyReply): void {
  const { method, url } = request;
  const owner = request.caller?.user?.owner;
  const origin = request.headers.origin;
  const line = {
    method,
    url,
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
    bytes: sentBytes(reply),
    ...(origin === undefined ? {} : { origin }),
    ...traceOf(request.headers.traceparent),
    ...(owner === undefined ? {} : { owner }),
  };
  // The page asks for health all the time.
  if (/^\/api\/v[12]\/health$/.test(url)) request.log.debug(line, 'answered');
  else request.log.info(line, 'answered');
}

/** The identity of the trace that a request belongs to, when its sender follows requests through several programs. */
function traceOf(traceparent: unknown): { traceparent?: string } {
  const isValid =
    typeof traceparent === 'string' && /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent);
  return isValid ? { traceparent } : {};
}
