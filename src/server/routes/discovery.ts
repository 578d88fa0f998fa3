import { API_VERSION, BINARY, Capabilities, Examples, Health, Index } from '../../contract/common.js';
import type { ServerOptions } from '../../options.js';
import { DESCRIPTION, packageVersion } from '../about.js';
import type { App } from '../app.js';
import type { AppDependencies } from '../dependencies.js';
import { listExamples } from '../examples.js';
import { operation } from '../operation.js';

const LINKS: Index['links'] = {
  health: { href: '/api/v2/health', method: 'GET', description: 'Lightest check that the server answers.' },
  capabilities: { href: '/api/v2/capabilities', method: 'GET', description: 'Formats, binary encoding, lifetimes.' },
  open: { href: '/api/v2/open', method: 'POST', description: 'Open an acquisition by its path.' },
  pickAndOpen: { href: '/api/v2/pick-and-open', method: 'POST', description: 'Open what the user picks in a dialog.' },
  openapi: { href: '/openapi.json', method: 'GET', description: 'The contract, machine-readable (OpenAPI 3.1).' },
  docs: { href: '/docs', method: 'GET', description: 'The contract, interactive.' },
  demo: { href: '/demo/v2/', method: 'GET', description: 'The reference client for browsers.' },
};

export function createIndex(): Index {
  return { ok: true, apiVersion: API_VERSION, description: DESCRIPTION, serverVersion: packageVersion(), links: LINKS };
}

/** What can be asked before anything is open. */
export function discoveryRoutes(app: App, options: ServerOptions, deps: AppDependencies): void {
  const index = createIndex();
  app.get(
    '/api/v2',
    operation({
      id: 'getIndex',
      tag: 'Discovery',
      summary: 'Links to what there is',
      ok: Index,
      access: 'consent',
      tokenFree: true,
    }),
    async () => index,
  );
  app.get(
    '/api/v2/health',
    operation({
      id: 'getHealth',
      tag: 'Discovery',
      summary: 'Lightest check that the server answers',
      ok: Health,
      access: 'consent',
      tokenFree: true,
    }),
    async () => ({ ok: true as const, apiVersion: API_VERSION }),
  );
  app.get(
    '/api/v2/capabilities',
    operation({
      id: 'getCapabilities',
      tag: 'Discovery',
      summary: 'Readable formats, binary encoding, session lifetime',
      ok: Capabilities,
      access: 'consent',
    }),
    async () => ({
      ok: true as const,
      apiVersion: API_VERSION,
      supportedImportExtensions: [...deps.supportedExtensions],
      allowedImportExtensions: [...deps.allowedExtensions],
      binary: BINARY,
      sessionTtlSeconds: options.sessionTtlSeconds,
    }),
  );
  app.get(
    '/api/v2/examples',
    operation({
      id: 'listExamples',
      tag: 'Discovery',
      summary: 'Sample acquisitions that come with the server',
      ok: Examples,
    }),
    async () => ({ ok: true as const, apiVersion: API_VERSION, examples: listExamples(options, deps) }),
  );
}
