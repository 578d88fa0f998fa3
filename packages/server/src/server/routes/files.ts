/** Ways to find a file without knowing its path. */

import { Folder, LocateResult } from '@acquisition-store/client/contract/files.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import { type ErrorCode, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { clientSignal, untilStopped } from '../client-signal.js';
import type { AppDependencies } from '../dependencies.js';
import { asWritten } from '../long-json.js';
import { expandHome, FolderPath, LocateBody } from '../open-body.js';
import { operation } from '../operation.js';
import { browsingOf } from '../ownership.js';
import type { App } from '../types.js';

const OK = { ok: true, apiVersion: API_VERSION } as const;
const FOLDER_ERRORS: readonly ErrorCode[] = [
  'request_validation_failed',
  'path_not_found',
  'path_not_allowed',
  'path_not_readable',
  'storage_unavailable',
];

export function fileRoutes(app: App, { files, stopping }: AppDependencies): void {
  app.get(
    '/api/v2/folders',
    operation({
      id: 'listFolder',
      tag: 'Open',
      summary: 'Folders, and files that can be opened, in a folder',
      description: 'For callers that may open by path, and inside the same roots.',
      query: FolderPath,
      ok: Folder,
      access: 'files',
      errors: FOLDER_ERRORS,
    }),
    async ({ query: { path, recordings, cursor }, caller }, reply) =>
      untilStopped(stopping, async () => {
        if (cursor !== undefined && recordings !== 'true') {
          throw invalidRequest(
            ['query', 'cursor'],
            '`cursor` goes with `recordings=true`',
            'cursor_without_recordings',
          );
        }
        const choice = recordings === 'true' ? { recordings: { cursor } } : {};
        const folder = path === undefined ? undefined : { path: expandHome(path), written: path, ...choice };
        const listing = await files.list(folder, clientSignal(reply, stopping), browsingOf(caller));
        const { entries } = listing;
        return { ...OK, ...listing, entries: Array.isArray(entries) ? entries : asWritten(entries) };
      }),
  );
  app.post(
    '/api/v2/locate',
    operation({
      id: 'locateFile',
      tag: 'Open',
      summary: 'Where a file lies, by its name, size and time',
      description:
        'For a file that was dropped on a page, which does not learn its path. Looks in folders from which something was opened ' +
        'since the server started, and below its roots, for one second at most.',
      body: LocateBody,
      ok: LocateResult,
      access: 'files',
    }),
    async ({ body, caller }, reply) =>
      untilStopped(stopping, async () => {
        const signal = clientSignal(reply, stopping);
        return { ...OK, paths: await files.locate(body, signal, browsingOf(caller)) };
      }),
  );
}
