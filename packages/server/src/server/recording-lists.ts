/** The recordings of a folder with what is in each, for one request. */
import { basename, dirname, relative } from 'node:path';
import type { DescribedRecording } from '@acquisition-store/client/contract/recordings.js';
import type { AskedFolder, Listing } from '../storage/file-browser.js';
import type { KnownFiles } from '../survey/known-files.js';
import { type DetailedEntries, detail, PAGE_ENTRIES, type SurveyPath } from '../survey/list-page.js';
import type { Survey } from '../survey/survey.js';
import { mainFileOf } from '../survey/whole-recording.js';
import { linkSignals } from '../waiting.js';
import type { Caller } from './caller.js';
import type { AppDependencies } from './dependencies.js';
import { ownerOf } from './guard.js';
import { browsingOf } from './ownership.js';

export interface DetailsRequest {
  folder: Pick<AskedFolder, 'path' | 'written'>;
  cursor: string | undefined;
  thumbnail: boolean;
  caller: Caller;
  signal: AbortSignal;
}

/**
 * Lists a folder like `FileBrowser.list`, with what is in each recording: as many as can be told soon.
 * @throws AcqError what that throws; `capacity_exceeded`, `storage_unavailable` before anything is known
 */
export async function listDetails(
  { files, surveying }: Pick<AppDependencies, 'files' | 'surveying'>,
  known: KnownFiles,
  { folder, cursor, thumbnail, caller, signal }: DetailsRequest,
): Promise<Omit<Listing, 'entries'> & Pick<DetailedEntries, 'entries'>> {
  const asked = { ...folder, recordings: { cursor, page: PAGE_ENTRIES, namesOnly: true } };
  const { entries: listed, next, ...listing } = await files.list(asked, signal, browsingOf(caller));
  // Only long lists are written by a thread.
  if (!Array.isArray(listed)) throw new Error('a page of a folder is too long');
  if (cursor === undefined && listing.path !== null) known.forget(listing.path);
  const who = { openedBy: caller, ...ownerOf({ caller }) };
  const { signal: within, abort, unlink } = linkSignals([signal]);
  const survey: SurveyPath = (path, wholeOf) => surveying.survey({ path, wholeOf, thumbnail, signal: within, ...who });
  const { entries, taken } = await detail(listed, known, survey).finally(() => {
    unlink();
    // Nobody waits any more for what was surveyed ahead.
    abort(new Error('the answer has ended'));
  });
  const goesOn = taken < listed.length ? listed[taken - 1]!.name : next;
  return { ...listing, entries, ...(goesOn === undefined ? {} : { next: goesOn }) };
}

/** Says which files beside the one that was surveyed belong to it, and which of them is the first. */
export function filesBeside(survey: Survey): Pick<DescribedRecording, 'first' | 'others'> {
  const { path, files } = survey;
  if (!files) return {};
  const main = mainFileOf(survey);
  const names = files.map((file) => relative(dirname(path), file));
  const others = names.filter((name) => name !== basename(path) && name === basename(name));
  return { ...(main === undefined ? {} : { first: basename(main) }), ...(others.length > 0 ? { others } : {}) };
}
