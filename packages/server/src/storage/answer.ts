import { statfsSync } from 'node:fs';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { writeList } from '../json-text.js';
import { isLong } from '../long-lists.js';
import { findCopies } from '../paths/find-copies.js';
import { type FolderListing, listFolder } from '../paths/list-folder.js';
import { listRecordings } from '../paths/list-recordings.js';
import { checkFile, locate } from '../paths/locate.js';
import { Crossing, Look, type PathEntry } from '../paths/look.js';
import { watchFiles } from '../paths/watch-files.js';
import { openError } from '../platform-node/file-source.js';
import type { ListedFolder, Lookup, LookupReply, LookupRequest, LookupValues } from './protocol.js';

function resultOf(lookup: Lookup, look: Look): LookupValues[keyof LookupValues] {
  switch (lookup.kind) {
    case 'locate':
      return locate(lookup.path, lookup.policy, look, lookup.isPicked);
    case 'file':
      checkFile(lookup.path, lookup.policy, look, lookup.isPicked);
      return undefined;
    case 'find':
      return kindOf(lookup.path, look);
    case 'list':
      return withTexts(
        lookup.recordings
          ? listRecordings(lookup.path, lookup.policy, look, lookup.recordings)
          : listFolder(lookup.path, lookup.policy, look),
      );
    case 'search':
      return findCopies(lookup.file, lookup.search, lookup.policy, look);
    case 'watch':
      return watchFiles(lookup, look);
    case 'probe':
      look.enter(lookup.path);
      statfsSync(lookup.path);
      return undefined;
  }
}

/** Thousands of entries would take the event loop of the server as long to receive, and again to write. */
function withTexts(listing: FolderListing): ListedFolder {
  const { entries } = listing;
  return { ...listing, entries: isLong(entries) ? writeList(entries) : entries };
}

function kindOf(path: string, look: Look): PathEntry['kind'] {
  try {
    return look.entry(look.realpath(path)).kind;
  } catch (error) {
    throw error instanceof Crossing ? error : openError(path, error);
  }
}

/**
 * Runs a look-up; returns when the system has answered. Never throws.
 * @param onStep called whenever the system has answered one of the requests of a long look-up
 */
export function answerLookup(
  { lookup, admitted, mountPoints }: LookupRequest,
  onStep: () => void = () => {},
): LookupReply {
  const look = new Look(process.platform, mountPoints, admitted, onStep);
  try {
    return { kind: 'done', value: resultOf(lookup, look) };
  } catch (thrown) {
    if (thrown instanceof Crossing) return { kind: 'crossing', storage: thrown.storage };
    if (thrown instanceof AcqError) return { kind: 'failed', error: thrown.toRecord() };
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return {
      kind: 'failed',
      error: { code: 'internal_error', message: 'unexpected error in a look-up thread', details: null },
      stack,
    };
  }
}
