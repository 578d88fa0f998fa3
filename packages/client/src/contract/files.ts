/** Ways to an acquisition without its path: lists of folders, and files that somebody dropped on a page. */
import { type Static, Type } from 'typebox';
import { ApiVersion, closed, Ok } from './common.js';
import { RecordingDetails, UnreadRecording } from './recordings.js';

const RecordingFacts = Type.Object(
  {
    format: Type.Union([Type.String(), Type.Null()], {
      description:
        'Name of the format by the first bytes of the file. `null` for a folder, for content that is not recognized, and when a ' +
        'slow drive was not asked.',
    }),
    files: Type.Integer({
      minimum: 1,
      description: 'Files and folders in this folder that belong to it by their names. Opening it may find more.',
    }),
    details: Type.Optional(
      Type.Union([RecordingDetails, UnreadRecording], {
        description: 'With `details=true`: what is in it, or why it cannot be opened.',
      }),
    ),
  },
  {
    ...closed,
    title: 'RecordingFacts',
    description:
      'With `recordings=true`, of what can be opened. `size` and `modified` of the entry are those of all its files.',
  },
);

const FolderEntry = Type.Object(
  {
    name: Type.String({ description: 'Last component of `path`.' }),
    path: Type.String({ description: 'Absolute path. Pass it to `folders`, or to `POST /api/v2/open`.' }),
    kind: Type.Enum(['file', 'folder'], { type: 'string', description: 'A link is what it leads to.' }),
    size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Bytes of a file. `null` for a folder, and when a slow drive was not asked.',
    }),
    modified: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Time of the last change in milliseconds since 1970. `null` when a slow drive was not asked.',
    }),
    openable: Type.Boolean({
      description:
        'True for a file with an allowed extension, and for a folder that is an acquisition, judged by names only.',
    }),
    recording: Type.Optional(RecordingFacts),
  },
  { ...closed, title: 'FolderEntry', description: 'A folder, or a file that can be opened.' },
);
export type FolderEntry = Static<typeof FolderEntry>;

const PathOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const Folder = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    path: PathOrNull('Real absolute path of the folder. `null` for the places to start from.'),
    parent: PathOrNull('The folder above. `null` at the top; the places to start from are then one step up.'),
    entries: Type.Array(FolderEntry, {
      description:
        'Folders, and files that can be opened, in natural order (`scan 2` before `scan 10`), without hidden ones.',
    }),
    truncated: Type.Boolean({
      description:
        'True when the folder has more entries than an answer can lead to: more than the 10,000 listed, or, with `recordings=true`, ' +
        'more than the 200,000 names that are read.',
    }),
    next: Type.Optional(
      Type.String({ description: 'With `recordings=true`, when there are more: pass it as `cursor`.' }),
    ),
    notUtf8: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Entries that are not listed because their names are not UTF-8, so that no request can name them. Omitted ' +
          'when there is nothing to count.',
      }),
    ),
  },
  { ...closed, title: 'Folder', description: 'What a folder contains.' },
);
export type Folder = Static<typeof Folder>;

export const FolderQuery = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Absolute path of the folder. `~/` is the home folder of the user who runs the server. Without it, the answer lists ' +
          'the places to start from: the roots, or else the home folder and the drives.',
      }),
    ),
  },
  closed,
);

/** `FolderQuery` with what lists recordings. */
export const FolderListQuery = Type.Object(
  {
    ...FolderQuery.properties,
    recordings: Type.Optional(
      Type.Enum(['true', 'false'], {
        type: 'string',
        description:
          '`true` lists each recording once: without the files that belong to another one by their names, and without files ' +
          'of other programs, by their first bytes. At most 1,000 entries at a time.',
      }),
    ),
    details: Type.Optional(
      Type.Enum(['true', 'false'], {
        type: 'string',
        description:
          'With `recordings=true`: `true` opens each recording and tells what is in it, and lists the files of one recording once, by ' +
          'their contents. An answer has up to 100 entries, and ends after about 2 seconds; `next` goes on.',
      }),
    ),
    thumbnails: Type.Optional(
      Type.Enum(['true', 'false'], {
        type: 'string',
        description: 'With `details=true`: `true` adds a small picture of the first plane of each recording.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 1_024, description: '`next` of the answer before. Only with `recordings=true`.' }),
    ),
  },
  closed,
);

/** What a browser knows about a file that was dropped on a page. */
export const LocateRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255, description: 'Name of the file, without a folder.' }),
    size: Type.Integer({ minimum: 0, description: 'Size of the file in bytes.' }),
    modified: Type.Integer({
      description:
        'Time of its last change in milliseconds since 1970: `lastModified` of a `File`. A multiple of 1,000 also matches a ' +
        'time within that second.',
    }),
  },
  { ...closed, title: 'LocateRequest', description: 'A file, without its folder.' },
);
export type LocateRequest = Static<typeof LocateRequest>;

export const LocateResult = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    paths: Type.Array(Type.String(), {
      description: 'Absolute paths of files of equal name, size and time, which can be opened. Often empty.',
    }),
  },
  { ...closed, title: 'LocateResult', description: 'Where the file may be.' },
);
export type LocateResult = Static<typeof LocateResult>;
