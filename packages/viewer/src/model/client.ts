/** What the page uses of a server, which it reaches only through the typed client, and of what reads files in its place. */
import type {
  AcqClient,
  CallOptions,
  OpenedAcquisition as ClientAcquisition,
  OpenChoice,
  PickAndOpenRequest,
  ReadOptions,
  SelectChoice,
} from '@acquisition-store/client';
import type { OpenRequest } from '@acquisition-store/client/contract/open.js';

/** What sessions of a page without a server last: longer than anybody keeps a page. */
export const FOREVER_SECONDS = 10 * 365 * 86_400;

export type { SelectChoice } from '@acquisition-store/client';

/** Files of one acquisition that were given to the page. */
export interface GivenFiles {
  /** Name of the file or folder to open. */
  readonly name: string;
  readonly files: readonly GivenFile[];
}

export interface GivenFile {
  /** Relative path with `/`: the name alone for a file that was given itself. */
  readonly path: string;
  readonly data: Blob;
}

type Asked =
  | 'baseUrl'
  | 'health'
  | 'index'
  | 'capabilities'
  | 'user'
  | 'examples'
  | 'folder'
  | 'recording'
  | 'locate'
  | 'sessionStatus'
  | 'sessionInfo'
  | 'closeAll'
  | 'closeOnPageHide';

/** What opens acquisitions by their path: the client of a server. */
export interface Engine extends Pick<AcqClient, Asked> {
  open(request: OpenRequest, options?: CallOptions): Promise<OpenedAcquisition>;
  pick(request?: PickAndOpenRequest, options?: CallOptions): Promise<OpenedAcquisition | null>;
  upload(given: GivenFiles, choice?: OpenChoice, options?: ReadOptions): Promise<OpenedAcquisition>;
}

type Used =
  | 'info'
  | 'closed'
  | 'onReopened'
  | 'plane'
  | 'nativePlane'
  | 'referencePlane'
  | 'rows'
  | 'window'
  | 'nativeWindow'
  | 'overview'
  | 'statistics'
  | 'profile'
  | 'traces'
  | 'coordinates'
  | 'metadata'
  | 'status'
  | 'events'
  | 'renew'
  | 'close';

/** What the page uses of an acquisition. A kymograph of a stack behaves like one, and so does one that the page reads itself. */
export interface OpenedAcquisition extends Pick<ClientAcquisition, Used> {
  /** Absent for a kymograph, which has no planes of its own. */
  planes?: ClientAcquisition['planes'];
  /** The files of an acquisition that the page reads itself, which no other program sees. Absent for one of the server. */
  readonly given?: GivenFiles | undefined;
  select(choice: SelectChoice, options?: CallOptions): Promise<OpenedAcquisition>;
  openAgain(choice: SelectChoice, options?: CallOptions): Promise<OpenedAcquisition>;
}
