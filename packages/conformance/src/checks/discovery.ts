import { Capabilities, Health } from '@acquisition-store/client/contract/common.js';
import { ensure, equal, shorten } from '../failure.js';
import { toParts } from '../parts.js';
import { matchesContract } from '../schema.js';
import type { Check } from '../types.js';
import { presence } from './presence.js';

const OPERATIONS: readonly [path: string, method: string][] = [
  ['/api/v2', 'get'],
  ['/api/v2/health', 'get'],
  ['/api/v2/capabilities', 'get'],
  ['/api/v2/pick-and-open', 'post'],
  ['/api/v2/open', 'post'],
  ['/api/v2/sessions/{}', 'get'],
  ['/api/v2/sessions/{}', 'delete'],
  ['/api/v2/sessions/{}/channels/{}/data', 'get'],
  ['/api/v2/sessions/{}/reference/channels/{}/data', 'get'],
];

export const discovery: readonly Check[] = [
  presence('discovery.api', 'v2'),
  {
    id: 'discovery.index',
    api: 'v2',
    level: 'contract',
    title: 'GET /api/v2 answers with JSON',
    async run({ server }) {
      const body = (await server.get('/api/v2')).expectStatus(200).json();
      equal(body['ok'], true, '`ok`');
    },
  },
  {
    id: 'discovery.health',
    api: 'v2',
    level: 'contract',
    title: 'GET /api/v2/health answers with ok and the API version',
    async run({ server }) {
      const body = (await server.get('/api/v2/health')).expectStatus(200).json();
      matchesContract(Health, body, 'health');
    },
  },
  {
    id: 'discovery.capabilities',
    api: 'v2',
    level: 'contract',
    title: 'GET /api/v2/capabilities describes extensions, planes and the time-to-live',
    async run({ server }) {
      const body = (await server.get('/api/v2/capabilities')).expectStatus(200).json();
      matchesContract(Capabilities, body, 'capabilities');
      ensure(body.sessionTtlSeconds > 0, `\`sessionTtlSeconds\` is ${body.sessionTtlSeconds}; expected more than 0`);
    },
  },
  {
    id: 'discovery.extensions',
    api: 'v2',
    level: 'contract',
    title: 'the extensions of the capabilities start with a dot',
    async run({ server }) {
      const answer = (await server.get('/api/v2/capabilities')).expectStatus(200);
      const body = toParts(Capabilities, answer.json(), 'the capabilities');
      for (const name of ['supportedImportExtensions', 'allowedImportExtensions'] as const) {
        for (const extension of body[name]) {
          ensure(extension.startsWith('.'), `\`${name}\` has ${shorten(extension)}, which does not start with a dot`);
        }
      }
    },
  },
  {
    id: 'discovery.openapi',
    api: 'v2',
    level: 'contract',
    title: 'GET /openapi.json describes every operation of the contract',
    async run({ server }) {
      const body = (await server.get('/openapi.json')).expectStatus(200).json();
      ensure(typeof body['openapi'] === 'string', '`openapi` is missing from /openapi.json');
      const paths = (body['paths'] ?? {}) as Record<string, Record<string, unknown>>;
      const described = Object.entries(paths).map(([path, item]) => [path.replace(/\{[^}]*\}/g, '{}'), item] as const);
      for (const [path, method] of OPERATIONS) {
        const isDescribed = described.some(([candidate, item]) => candidate === path && method in item);
        ensure(isDescribed, `/openapi.json does not describe ${method.toUpperCase()} ${path}`);
      }
    },
  },
  {
    id: 'discovery.docs',
    api: 'v2',
    level: 'contract',
    title: 'GET /docs is a page',
    async run({ server }) {
      const answer = (await server.get('/docs', { accept: 'text/html' })).expectStatus(200);
      equal(answer.type, 'text/html', 'the content type of /docs');
    },
  },
  {
    id: 'discovery.demo',
    api: 'v2',
    level: 'contract',
    title: 'GET /demo/v2/ is a page',
    async run({ server }) {
      const answer = (await server.get('/demo/v2/', { accept: 'text/html' })).expectStatus(200);
      equal(answer.type, 'text/html', 'the content type of /demo/v2/');
    },
  },
];
