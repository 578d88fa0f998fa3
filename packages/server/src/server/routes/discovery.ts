import { Capabilities, Examples, Health, Index, SignedIn } from '@acquisition-store/client/contract/common.js';
import { API_VERSION, BINARY } from '@acquisition-store/client/contract/values.js';
import { listFormats } from '@acquisition-store/readers/formats/index.js';
import type { ServerOptions } from '../../options.js';
import { packageVersion } from '../../package-files.js';
import { DESCRIPTION } from '../about.js';
import type { Caller } from '../caller.js';
import type { AppDependencies } from '../dependencies.js';
import { listExamples } from '../examples.js';
import { createProof, PROOF_HEADER, readChallenge } from '../identity.js';
import { operation } from '../operation.js';
import type { App } from '../types.js';

const OK = { ok: true, apiVersion: API_VERSION } as const;

const LINKS: Index['links'] = {
  health: { href: '/api/v2/health', method: 'GET', description: 'Lightest check that the server answers.' },
  capabilities: { href: '/api/v2/capabilities', method: 'GET', description: 'Formats, binary encoding, lifetimes.' },
  open: { href: '/api/v2/open', method: 'POST', description: 'Open an acquisition by its path.' },
  pickAndOpen: { href: '/api/v2/pick-and-open', method: 'POST', description: 'Open what the user picks in a dialog.' },
  openapi: { href: '/openapi.json', method: 'GET', description: 'The contract as an OpenAPI 3.1 document.' },
  docs: { href: '/docs', method: 'GET', description: 'Interactive documentation.' },
  demo: { href: '/demo/v2/', method: 'GET', description: 'The reference client for browsers.' },
};

export function createIndex(): Index {
  return { ...OK, description: DESCRIPTION, serverVersion: packageVersion(), links: LINKS };
}

const HEALTH: Health = OK;

/** Registers the routes that need no session. */
export function discoveryRoutes(app: App, options: ServerOptions, deps: AppDependencies): void {
  const index = createIndex();
  const capabilities: Omit<Capabilities, 'opening'> = {
    ...OK,
    supportedImportExtensions: [...deps.supportedExtensions],
    allowedImportExtensions: [...deps.allowedExtensions],
    formats: listFormats(deps.allowedExtensions),
    binary: BINARY,
    sessionTtlSeconds: options.sessionTtlSeconds,
  };
  const open = { tag: 'Discovery', access: 'consent', tokenFree: true } as const;

  const toIndex = operation({ ...open, id: 'getIndex', summary: 'Links to all addresses', ok: Index });
  app.get('/api/v2', toIndex, async () => index);

  const summary = 'Lightest check that the server answers';
  app.get('/api/v2/health', operation({ ...open, id: 'getHealth', summary, ok: Health }), async (request, reply) => {
    const challenge = readChallenge(request.headers);
    if (challenge !== undefined && deps.instanceSecret !== undefined) {
      reply.header(PROOF_HEADER, createProof(deps.instanceSecret, challenge));
    }
    return HEALTH;
  });

  const toCapabilities = operation({
    id: 'getCapabilities',
    tag: 'Discovery',
    summary: 'Readable formats, binary encoding, session lifetime',
    ok: Capabilities,
    access: 'consent',
  });
  const toUser = operation({
    ...open,
    id: 'getUser',
    summary: 'Who is signed in, and how to sign in',
    description: 'On a server with users. Answers without a token, so that a page can find out whether it needs one.',
    ok: SignedIn,
    errors: ['unauthorized'],
  });
  app.get('/api/v2/user', toUser, async ({ caller: { user } }) => ({
    ...OK,
    signIn: [...(deps.authenticator?.signIn ?? [])],
    user: user ? { name: user.name, signedInBy: user.isLogin ? ('login' as const) : ('token' as const) } : null,
    signOutUrl: options.signOutUrl ?? null,
  }));

  app.get('/api/v2/capabilities', toCapabilities, async ({ caller }) => ({
    ...capabilities,
    opening: waysIn(caller, options, deps),
  }));

  const toExamples = operation({
    id: 'listExamples',
    tag: 'Discovery',
    summary: 'Sample acquisitions that come with the server',
    ok: Examples,
  });
  app.get('/api/v2/examples', toExamples, async ({ caller }) => ({
    ...OK,
    examples: listExamples(options, deps, caller),
  }));
}

/** Returns how a caller can open acquisitions on this server. */
function waysIn(
  { kind, user }: Caller,
  { allowFilePages }: Pick<ServerOptions, 'allowFilePages'>,
  { picker, uploads }: Pick<AppDependencies, 'picker' | 'uploads'>,
): Capabilities['opening'] {
  const isFilePage = kind === 'file-page';
  return [
    ...(!isFilePage || allowFilePages ? (['path'] as const) : []),
    ...(user || picker.hasDisplay === false ? [] : (['picker'] as const)),
    ...(isFilePage ? [] : (['folders', 'locate'] as const)),
    ...(uploads.isOn && !isFilePage ? (['upload'] as const) : []),
  ];
}
