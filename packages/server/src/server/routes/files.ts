/** Ways to find a file without knowing its path. */

import { Folder, type FolderEntry, LocateResult } from '@acquisition-store/client/contract/files.js';
import { DescribedRecording } from '@acquisition-store/client/contract/recordings.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import { type ErrorCode, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { LastUsed } from '@acquisition-store/readers/base/last-used.js';
import { asWritten } from '../../long-lists.js';
import type { Listing } from '../../storage/file-browser.js';
import { toDetails } from '../../survey/details.js';
import { KnownFiles } from '../../survey/known-files.js';
import type { AppDependencies } from '../dependencies.js';
import { ownerOf } from '../guard.js';
import { operation } from '../operation.js';
import { browsingOf } from '../ownership.js';
import { filesBeside, listDetails } from '../recording-lists.js';
import { clientSignal, untilStopped } from '../request-life.js';
import type { App } from '../types.js';
import { expandHome, FolderPath, LocateBody, RecordingPath } from '../validation.js';

const OK = { ok: true, apiVersion: API_VERSION } as const;
const FOLDER_ERRORS: readonly ErrorCode[] = [
  'request_validation_failed',
  'path_not_found',
  'path_not_allowed',
  'path_not_readable',
  'storage_unavailable',
];
/** Codes of what is in a file. */
const FILE_ERRORS: readonly ErrorCode[] = [
  'unsupported_format',
  'decode_failed',
  'companion_missing',
  'load_timeout',
  'plane_too_large',
  'capacity_exceeded',
];

export function fileRoutes(app: App, deps: AppDependencies): void {
  listRoute(app, deps);
  recordingRoute(app, deps);
  locateRoute(app, deps);
}

function listRoute(app: App, deps: AppDependencies): void {
  const { files, stopping, audit } = deps;
  // Each goes through a folder on their own.
  const known = new LastUsed<KnownFiles>();
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
      errors: [...FOLDER_ERRORS, 'capacity_exceeded'],
    }),
    async ({ query, caller }, reply) => {
      checkChoice(query);
      const { path, recordings, details, cursor } = query;
      const signal = clientSignal(reply, stopping);
      const folder = path === undefined ? undefined : { path: expandHome(path), written: path };
      if (folder && details === 'true') {
        const thumbnail = query.thumbnails === 'true' && !audit;
        const own = known.get(browsingOf(caller).who.party, () => new KnownFiles());
        const listed = listDetails(deps, own, { folder, cursor, thumbnail, caller, signal });
        return { ...OK, ...(await untilStopped(stopping, listed)) };
      }
      const choice = recordings === 'true' ? { recordings: { cursor } } : {};
      const listed = files.list(folder && { ...folder, ...choice }, signal, browsingOf(caller));
      return { ...OK, ...written(await untilStopped(stopping, listed)) };
    },
  );
}

function recordingRoute(app: App, { surveying, stopping, audit }: AppDependencies): void {
  app.get(
    '/api/v2/recordings',
    operation({
      id: 'describeRecording',
      tag: 'Open',
      summary: 'What is in one recording, without opening a session',
      description:
        'The same as in the list of a folder with `details=true`. A file of a recording in several files answers for all of it.',
      query: RecordingPath,
      ok: DescribedRecording,
      access: 'files',
      errors: [...FOLDER_ERRORS, ...FILE_ERRORS],
    }),
    async ({ query: { path, thumbnail }, caller }, reply) => {
      const asked = { path: expandHome(path), written: path, openedBy: caller, ...ownerOf({ caller }) };
      const how = { wholeOf: 'any', thumbnail: thumbnail === 'true' && !audit } as const;
      const signal = clientSignal(reply, stopping);
      const survey = await untilStopped(stopping, surveying.survey({ ...asked, ...how, signal }));
      return { ...OK, path: survey.path, details: toDetails(survey), ...filesBeside(survey) };
    },
  );
}

function locateRoute(app: App, { files, stopping }: AppDependencies): void {
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
    async ({ body, caller }, reply) => {
      const located = files.locate(body, clientSignal(reply, stopping), browsingOf(caller));
      return { ...OK, paths: await untilStopped(stopping, located) };
    },
  );
}

interface ListChoice {
  recordings?: string;
  details?: string;
  thumbnails?: string;
  cursor?: string;
}

/** @throws AcqError for a parameter without the one that it goes with */
function checkChoice({ recordings, details, thumbnails, cursor }: ListChoice): void {
  const need = (name: string, isThere: boolean, other: string) => {
    if (!isThere)
      throw invalidRequest(['query', name], `\`${name}\` goes with \`${other}=true\``, `${name}_without_${other}`);
  };
  if (cursor !== undefined) need('cursor', recordings === 'true', 'recordings');
  if (details === 'true') need('details', recordings === 'true', 'recordings');
  if (thumbnails === 'true') need('thumbnails', details === 'true', 'details');
}

/** Thousands of entries were written by a thread. */
function written(listing: Listing): Omit<Listing, 'entries'> & { entries: FolderEntry[] } {
  const { entries } = listing;
  return { ...listing, entries: Array.isArray(entries) ? entries : asWritten(entries) };
}
