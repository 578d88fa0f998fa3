/** What a tool is, and the fields that several tools have. Their schemas are those of the HTTP API. */
import { closed } from '@acquisition-store/client/contract/common.js';
import { ChannelParams } from '@acquisition-store/client/contract/session.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { ExportFolder } from './export-folder.js';
import type { ServerLink } from './link.js';
import type { OpenedAcquisitions } from './opened.js';
import { DEFAULT_ENTRIES, MAX_ENTRIES, type Page } from './results.js';

export interface Context {
  link: ServerLink;
  acquisitions: OpenedAcquisitions;
  /** Where the export tool writes; without it, the tool is not offered. */
  exportFolder?: ExportFolder;
  /** Aborted when the client cancels the call or disappears. */
  signal: AbortSignal;
}

export interface ToolAnswer {
  data: object;
  /** A PNG image beside the data. */
  picture?: Uint8Array;
  /** Entries of long lists; the first ones when omitted. */
  page?: Page;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: TObject;
  /** True for the tool that writes files. */
  writes?: boolean;
  run(input: unknown, context: Context): Promise<ToolAnswer>;
}

/** Checks that `run` takes what the schema describes; `input` has been checked against it before `run` is called. */
export function defineTool<P extends TProperties>(
  tool: Omit<Tool, 'input' | 'run'> & {
    input: TObject<P>;
    run: (input: Static<TObject<P>>, context: Context) => Promise<ToolAnswer>;
  },
): Tool {
  return tool as unknown as Tool;
}

/** Returns the schema of the input of a tool. */
export function inputOf<P extends TProperties>(properties: P) {
  return Type.Object(properties, closed);
}

const AcquisitionName = Type.String({
  minLength: 1,
  maxLength: 16,
  description: 'Name of an open acquisition: `acquisition` of the result of the tool `open`.',
});

export const OF_ACQUISITION = { acquisition: AcquisitionName };
export const OF_CHANNEL = { acquisition: AcquisitionName, channelIndex: ChannelParams.properties.channelIndex };

/** Which entries of long lists a result has. */
export const PAGE = {
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'First entry of long lists in the result, counted from 0. 0 when omitted.',
    }),
  ),
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ENTRIES,
      description:
        `Max entries of each list in the result. ${DEFAULT_ENTRIES} when omitted, at most ${grouped(MAX_ENTRIES)}. ` +
        '`cutLists` of the result has the lists that are longer.',
    }),
  ),
};

/** Returns the address of a channel of an open acquisition, below that of the API. */
export function channelPath(input: { acquisition: string; channelIndex: number }, { acquisitions }: Context): string {
  return `${acquisitions.find(input.acquisition).path}/channels/${input.channelIndex}`;
}
