/** Messages between the gate and its look-up threads. */

import type { WrittenList } from '../long-lists.js';
import type { KnownFile, Search } from '../paths/find-copies.js';
import type { FolderEntry } from '../paths/list-folder.js';
import type { AskedRecordings, RecordingListing } from '../paths/list-recordings.js';
import type { Located } from '../paths/locate.js';
import type { PathEntry } from '../paths/look.js';
import type { PathPolicy } from '../paths/policy.js';
import type { Sight, WatchRequest } from '../paths/watch-files.js';
import type { ThreadFailure } from '../threads.js';

/** One look-up, which runs on one thread. */
export type Lookup =
  | { kind: 'locate'; path: string; policy: PathPolicy; isPicked: boolean }
  /** Checks that a regular file is at a path. */
  | { kind: 'file'; path: string; policy: PathPolicy; isPicked: boolean }
  /** Finds what is at a path. */
  | { kind: 'find'; path: string }
  /** Lists a folder, or the recordings in it from a cursor on. */
  | { kind: 'list'; path: string; policy: PathPolicy; recordings?: AskedRecordings }
  /** Finds copies of a file in and below the folder at `path`. */
  | { kind: 'search'; path: string; file: KnownFile; search: Search; policy: PathPolicy }
  /** Looks at the files of an acquisition. */
  | ({ kind: 'watch' } & WatchRequest)
  /** Checks that the storage answers. */
  | { kind: 'probe'; path: string };

/** A list of a folder; the thread writes the text of a long one. */
export interface ListedFolder extends Omit<RecordingListing, 'entries'> {
  entries: FolderEntry[] | WrittenList<FolderEntry>;
}

/** Results of the look-ups. */
export interface LookupValues {
  locate: Located;
  file: undefined;
  find: PathEntry['kind'];
  list: ListedFolder;
  search: string[];
  watch: Sight;
  probe: undefined;
}

export interface LookupRequest {
  lookup: Lookup;
  /** Storages that may be accessed. */
  admitted: readonly string[];
  mountPoints: readonly string[];
}

export type LookupReply =
  | { kind: 'done'; value: LookupValues[keyof LookupValues] }
  /** Another storage must be admitted first; nothing on it was accessed. */
  | { kind: 'crossing'; storage: string }
  | ({ kind: 'failed' } & ThreadFailure);

/** What a thread sends: that it calls the system, again and again during a long look-up, and the result. */
export type LookupMessage = { kind: 'begun' } | LookupReply;
