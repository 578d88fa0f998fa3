import { resolve } from 'node:path';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import { defaultOptions, type ServerOptions } from '../../packages/server/src/options.js';
import { pagesOnDisk } from '../../packages/server/src/page-folder.js';
import type { Picker, PickRequest, PickResult } from '../../packages/server/src/picker/types.js';
import { createApp } from '../../packages/server/src/server/app.js';
import type { AppDependencies } from '../../packages/server/src/server/dependencies.js';
import type { App } from '../../packages/server/src/server/types.js';
import { type FakeSessions, fakeServices, fakeSessions } from './fake-sessions.js';

export const REPOSITORY = resolve(import.meta.dirname, '../..');

export interface FakePicker extends Picker {
  readonly requests: PickRequest[];
  next: PickResult | Error;
}

export function fakePicker(): FakePicker {
  const picker: FakePicker = {
    requests: [],
    next: { status: 'ok', path: '/picked.tif' },
    async pick(request) {
      picker.requests.push(request);
      if (picker.next instanceof Error) throw picker.next;
      return picker.next;
    },
  };
  return picker;
}

export interface TestApp {
  app: App;
  sessions: FakeSessions;
  picker: FakePicker;
  stopping: AbortController;
  /** Injects a request with the right Host; `body` is sent as JSON. */
  ask(method: string, url: string, more?: Ask): Promise<LightMyRequestResponse>;
}

export interface Ask {
  headers?: Record<string, string>;
  body?: unknown;
  payload?: string | Buffer;
}

export const HOST = '127.0.0.1:8767';

export function testDependencies(): Omit<AppDependencies, 'sessions' | 'picker' | 'stopping'> {
  return {
    ...fakeServices(),
    supportedExtensions: ['.tif', '.tiff', '.ome.tif'],
    allowedExtensions: ['.tif', '.ome.tif'],
    files: {
      list: async (folder) => ({ path: folder?.path ?? null, parent: null, entries: [], truncated: false }),
      locate: async () => [],
    },
    warmUpFiles: [],
    uploads: {
      isOn: false,
      belongsTo: () => true,
      create: async () => ({ id: '0'.repeat(32), expiresInSeconds: 600 }),
      receive: async () => 0,
      open: async (_id, work) => work({ path: '/uploaded.tif', use: () => () => {} }),
      delete() {},
      close: async () => {},
    },
    folders: {
      demo: pagesOnDisk(resolve(REPOSITORY, 'packages/viewer/dist')),
      demoV1: pagesOnDisk(resolve(REPOSITORY, 'packages/viewer-v1/dist')),
      docs: pagesOnDisk(resolve(REPOSITORY, 'packages/viewer/docs')),
      examples: resolve(REPOSITORY, 'examples'),
      client: pagesOnDisk(resolve(REPOSITORY, 'packages/server/dist/client')),
    },
  };
}

export async function testApp(
  options: Partial<ServerOptions> = {},
  deps: Partial<AppDependencies> = {},
): Promise<TestApp> {
  const sessions = fakeSessions();
  const picker = fakePicker();
  const stopping = new AbortController();
  const app = await createApp(
    { ...defaultOptions(), ...options },
    { ...testDependencies(), sessions, picker, stopping: stopping.signal, ...deps },
  );
  await app.ready();
  const ask: TestApp['ask'] = (method, url, { headers = {}, body, payload } = {}) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = {
      method: method as 'GET',
      url,
      headers: { host: HOST, ...json, ...headers },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      ...(payload === undefined ? {} : { payload }),
    } satisfies InjectOptions;
    return app.inject(request);
  };
  return { app, sessions, picker, stopping, ask };
}

/** The answer is the envelope of `code`: status, exactly the four fields, the request id. */
export function expectError(response: LightMyRequestResponse, code: ErrorCode): void {
  const body = response.json();
  expect(body.error, response.body).toBe(code);
  expect(response.statusCode).toBe(ERROR_STATUS[code]);
  expect(Object.keys(body)).toEqual(['ok', 'error', 'message', 'details']);
  expect(body.ok).toBe(false);
  expect(body.message).toMatch(/\S/);
  if (code === 'request_validation_failed') expect(Array.isArray(body.details)).toBe(true);
  else expect(body.details).toBeNull();
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}
