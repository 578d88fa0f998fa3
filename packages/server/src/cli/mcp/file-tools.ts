/** Tools that find, describe, open and close acquisitions. */
import { type Folder, FolderQuery } from '@acquisition-store/client/contract/files.js';
import { OpenRequest, type OpenResponse } from '@acquisition-store/client/contract/open.js';
import { Type } from 'typebox';
import { CLOSE_MS, MAX_OPEN } from './opened.js';
import { DEFAULT_ENTRIES } from './results.js';
import { type Context, defineTool, inputOf, OF_ACQUISITION, PAGE, type Tool } from './tool.js';

const { path, selection, projection, calibration, interpret, parts } = OpenRequest.properties;

const listFolder = defineTool({
  name: 'list_folder',
  title: 'List a folder',
  description: 'Lists folders, and files that can be opened. Without `path`: the places to start from.',
  input: inputOf({ ...FolderQuery.properties, ...PAGE }),
  async run({ path, from = 0, count = DEFAULT_ENTRIES }, { link, signal }) {
    const { ok, apiVersion, ...folder } = await link.json<Folder>('/folders', { query: { path }, signal });
    return { data: folder, page: { from, count } };
  },
});

const inspect = defineTool({
  name: 'inspect',
  title: 'Describe a file',
  description:
    'Describes an acquisition without keeping it open: sizes, steps and units of its axes, channels, scenes, warnings, ' +
    'and on request what the recording software wrote about the recording.',
  input: inputOf({
    path,
    selection,
    interpret,
    parts,
    metadata: Type.Optional(
      Type.Boolean({ description: "Adds the vendor's own names and values: objective, lasers, gains, …" }),
    ),
    ...PAGE,
  }),
  async run({ metadata = false, from = 0, count = DEFAULT_ENTRIES, ...request }, context) {
    const info = await describe({ ...request, decode: 'later' }, metadata, context);
    return { data: withoutAddresses(info), page: { from, count } };
  },
});

async function describe(body: object, metadata: boolean, { link, signal }: Context): Promise<OpenResponse> {
  const info = await link.json<OpenResponse>('/open', { method: 'POST', body, signal });
  const session = `/sessions/${info.sessionId}`;
  try {
    return metadata ? await link.json(`${session}/acquisition`, { query: { metadata: true }, signal }) : info;
  } finally {
    // A session that cannot be ended now expires.
    await link.json(session, { method: 'DELETE', signal: AbortSignal.timeout(CLOSE_MS) }).catch(() => {});
  }
}

const open = defineTool({
  name: 'open',
  title: 'Open an acquisition',
  description:
    'Opens an acquisition for the other tools, which take its name, `acquisition` of the result. It stays open until it is ' +
    `closed; at most ${MAX_OPEN} are open. Planes are read when a tool needs them. Show \`warnings\` to the user: they say ` +
    'which numbers may be wrong. `inspect` shows long lists that are shortened here.',
  input: inputOf({ path, selection, projection, calibration, interpret, parts }),
  async run(input, { acquisitions, signal }) {
    const { opened, info } = await acquisitions.open({ ...input, decode: 'later' }, signal);
    return { data: { acquisition: opened.id, ...withoutAddresses(info) } };
  },
});

const close = defineTool({
  name: 'close',
  title: 'Close an acquisition',
  description: 'Closes an acquisition, which frees its memory.',
  input: inputOf(OF_ACQUISITION),
  async run({ acquisition }, { acquisitions, signal }) {
    await acquisitions.close(acquisitions.find(acquisition), signal);
    return { data: { acquisition, closed: true } };
  },
});

/** Removes the id of the session, which is a secret, and the addresses that contain it. */
function withoutAddresses({ ok, apiVersion, sessionId, zarr, channels, reference, ...info }: OpenResponse): object {
  const plain = (list: OpenResponse['channels']) => list.map(({ dataUrl, ...channel }) => channel);
  return {
    ...info,
    channels: plain(channels),
    reference: reference && { ...reference, channels: plain(reference.channels) },
  };
}

export const FILE_TOOLS: readonly Tool[] = [listFolder, inspect, open, close];
