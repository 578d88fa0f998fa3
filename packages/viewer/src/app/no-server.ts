/** Stands for the server in a page that has none: opens only files that are given to the page, and the sample. */
import { AcqClientError, type CallOptions } from '@acquisition-store/client';
import type { Capabilities } from '@acquisition-store/client/contract/common.js';
import type { OpenRequest } from '@acquisition-store/client/contract/open.js';
import { signal } from '@preact/signals';
import { type Engine, FOREVER_SECONDS } from '../model/client.ts';
import type { Server, ServerInfo } from './server.ts';

/** What the build says about a page without a server. */
export interface PageBuild {
  readonly version: string;
  readonly formats: Capabilities['formats'];
  readonly samples: readonly { readonly file: string; readonly name: string; readonly description: string }[];
}

const UP = { state: 'up', message: '', hint: '' } as const;

export function createNoServer(build: PageBuild): Server {
  const extensions = [...new Set(build.formats.flatMap((format) => format.extensions))];
  const info: ServerInfo = {
    index: { ok: true, apiVersion: 'v2', description: '', serverVersion: build.version, links: {} as never },
    capabilities: {
      ok: true,
      apiVersion: 'v2',
      supportedImportExtensions: extensions,
      allowedImportExtensions: extensions,
      formats: build.formats,
      binary: {
        servedDtype: 'float32',
        encoding: 'raw-f32-le',
        layout: 'row-major',
        mediaType: 'application/octet-stream',
      },
      sessionTtlSeconds: FOREVER_SECONDS,
      opening: [],
    },
    examples: build.samples.map(({ file, name, description }) => ({ name, description, path: file })),
  };
  return {
    client: createEngine(info),
    isThere: false,
    connection: signal(UP),
    info: signal(info),
    tokenRequired: signal(false),
    signedIn: signal({ ok: true, apiVersion: 'v2', signIn: [], user: null, signOutUrl: null }),
    start: () => Promise.resolve(),
    useToken() {},
    check: () => Promise.resolve(),
    suspect() {},
    onBack: null,
  };
}

function createEngine({ index, capabilities, examples }: ServerInfo): Engine {
  const refuse = () => Promise.reject(new AcqClientError('unreachable', 'This page has no server.', { hint: ADVICE }));
  return {
    baseUrl: '',
    health: () => Promise.resolve({ ok: true, apiVersion: 'v2' }),
    index: () => Promise.resolve(index),
    capabilities: () => Promise.resolve(capabilities),
    user: () => Promise.resolve({ ok: true, apiVersion: 'v2', signIn: [], user: null, signOutUrl: null }),
    examples: () => Promise.resolve({ ok: true, apiVersion: 'v2', examples: [...examples] }),
    folder: refuse,
    recording: refuse,
    locate: () => Promise.resolve([]),
    sessionStatus: refuse,
    sessionInfo: refuse,
    open: (request, options) =>
      examples.some(({ path }) => path === request.path) ? openSample(request, options) : refuse(),
    pick: refuse,
    upload: refuse,
    closeAll: () => Promise.resolve(),
    closeOnPageHide: () => () => {},
  };
}

const ADVICE = 'Choose the file with Open…, or drop it on the page.';

async function openSample({ path, ...choice }: OpenRequest, { signal }: CallOptions = {}) {
  const response = await fetch(`./${encodeURIComponent(path)}`, signal ? { signal } : {});
  if (!response.ok) throw new AcqClientError('unreachable', `The sample ${path} cannot be loaded.`);
  const { openInPage } = await import('../engine/page-engine.ts');
  const data = new File([await response.blob()], path);
  return openInPage({ name: path, files: [{ path, data }] }, choice, { signal });
}
