import type { AskedPlane, ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { DeleteResult, SessionStatus } from '@acquisition-store/client/contract/session.js';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Who } from '../fair-line.js';
import type { Load } from '../metrics.js';
import type { PinnedPlane, PlaneCache } from '../planes/plane-cache.js';
import type { Survey } from '../survey/survey.js';
import type { Timing } from '../waiting.js';

/** The API that opened a session. Each finds only its own sessions. */
export type SessionApi = 'v1' | 'v2';

/**
 * Who opened a session. `program`: not a page of another origin (curl, a script). `own-page`: a page of this server.
 * `trusted-page`: a loopback or allowed origin, or any page that sends the token. `file-page`: `Origin: null`, which is a
 * local HTML file or a sandboxed frame of any site.
 */
export interface SessionClient {
  kind: 'program' | 'own-page' | 'trusted-page' | 'file-page';
  /** The `Origin` header. */
  origin: string | undefined;
}

/** An open session, for the user of the computer. The id is the permission to read it: no page may get this list. */
export interface ListedSession {
  sessionId: string;
  /** Name of the acquisition. */
  name: string;
  /** Real absolute path; the name alone for files that a page sent. */
  path: string;
  api: SessionApi;
  /** Set when the acquisition has several scenes. `name` may be empty. */
  scene?: { index: number; name: string; count: number };
  openedBy: SessionClient;
  /** Milliseconds since 1970. */
  openedAt: number;
  expiresAt: number;
  /** Planes in memory that the session uses, and their bytes. Sessions of one file share planes: each of them counts them. */
  planes: number;
  bytes: number;
}

export interface SessionList {
  /** The latest first. */
  sessions: ListedSession[];
  /** Bytes of all planes in memory, and their limit. */
  usedBytes: number;
  budgetBytes: number;
}

/** What to survey, for whom. */
export interface SurveyRequest extends Pick<OpenSessionRequest, 'path' | 'written' | 'folders' | 'openedBy' | 'owner'> {
  /** Draws the first plane. */
  thumbnail: boolean;
  /** Files whose whole recording is surveyed: the first one, or every one. */
  wholeOf: 'first' | 'any';
  signal: AbortSignal;
}

/** Why nothing more is told about a session. `stopped`: the server stops. */
export type FollowEnd = 'deleted' | 'expired' | 'stopped';

/** Who is told what happens to the files of a session. */
export interface Follower {
  /** Called first. @param revision `source.revision` while the files are as they were opened; null when the storage does not answer */
  onState(revision: string | null): void;
  onChange(revision: string): void;
  /** Called last. */
  onEnd(reason: FollowEnd): void;
}

/**
 * What the HTTP routes need from sessions; knows nothing about HTTP. Every method throws `AcqError`. Where an API is not
 * given, it is v2.
 */
export interface SessionService {
  /** Opens an acquisition; resolves when every requested plane is in memory. */
  open(request: OpenSessionRequest): Promise<OpenResponse>;
  /**
   * Checks that a regular file is at a path, whatever its name. Does not reveal whether there is one outside the roots.
   * @throws AcqError `path_not_found`, `path_not_allowed`, `path_not_readable`, `request_validation_failed`,
   * `storage_unavailable`
   */
  checkFile(
    request: Pick<OpenSessionRequest, 'path' | 'written' | 'picked' | 'folders' | 'openedBy' | 'owner' | 'signal'>,
  ): Promise<void>;
  /**
   * Says what lists show of the acquisition at a path, in turns with other lists.
   * @throws AcqError what `open` throws; the reason of the signal
   */
  survey(request: SurveyRequest): Promise<Survey>;
  /**
   * True for a session of this owner whose file is in the folders of the owner, and for one that does not exist. Asks the store, so that the other methods know the
   * session of another instance: called once for each request.
   * @throws AcqError `session_store_unavailable`
   */
  belongsTo(sessionId: string, owner: string | undefined, folders?: readonly string[]): Promise<boolean>;
  /** Keeps a session from being ended for others, until the returned function is called. */
  hold(sessionId: string): () => void;
  /** Returns whose work the work of a session is. @throws AcqError `session_not_found` */
  who(sessionId: string, api?: SessionApi): Who;
  /** Returns the channels of a session in the order of its open request. */
  channelOrder(sessionId: string, api: SessionApi): readonly number[];
  status(sessionId: string): SessionStatus;
  /** Returns the open response of a session again. */
  acquisition(sessionId: string): OpenResponse;
  /**
   * Returns the open response with the vendor's own metadata, which are read from the file.
   * @throws AcqError `session_not_found`, `source_changed`, …
   */
  acquisitionWithMetadata(sessionId: string, signal?: AbortSignal): Promise<OpenResponse>;
  /**
   * Returns rows of the table of planes of the scene of a session, which are read from the file.
   * @throws AcqError `session_not_found`, `source_changed`, …
   */
  planeTable(sessionId: string, part: TablePart, signal?: AbortSignal): Promise<PlaneTable>;
  /** Restarts the time to live. */
  renew(sessionId: string): Promise<SessionStatus>;
  delete(sessionId: string, api?: SessionApi): Promise<DeleteResult>;
  /**
   * Tells `follower` when files of a session change, and that the session has ended, until the returned function is called.
   * Does not extend the life of the session.
   * @throws AcqError `session_not_found`, `source_changed`, `capacity_exceeded`, …
   */
  follow(sessionId: string, follower: Follower): Promise<() => void>;
  /** Ends all following: the server stops. */
  stopFollowing(): void;
  /** True until a session of any API has ended or expired. Does not ask the store. */
  isOpen(sessionId: string): boolean;
  /** Memory beside planes: what answers hold counts here until they have been sent. */
  readonly memory: Pick<PlaneCache, 'reserve' | 'withScratch' | 'onShortage'>;
  /** Puts off what nobody waits for: a client has asked for something, or has got it. */
  noteClient(): void;
  /** Returns what the service has to do at this moment. */
  load(): Load;
  /** Lists the open sessions of all clients that this instance knows. */
  list(): SessionList;
  /** Ends a session of any client. Returns false when it has ended already. */
  endAny(sessionId: string): Promise<boolean>;
  /** Ends a session that no client learns of: an upload that it used can be opened again. */
  takeBack(sessionId: string): Promise<void>;
  /**
   * Returns the shape of a plane without decoding it, and the type that it is sent as.
   * @throws AcqError like `read`, but for errors of the file
   */
  planeShape(address: PlaneAddress, form?: 'served' | 'native'): PlaneShape;
  /**
   * Returns a plane, decoded again if it was dropped from memory. It stays valid until the caller releases it, even when
   * the session ends, and counts against the memory budget until then.
   * @throws AcqError `session_not_found`, `channel_not_found`, `reference_channel_not_found`, `selection_out_of_range`,
   * `source_changed`, …; `request_validation_failed` when a projection is asked for in the type of the file
   */
  read(address: PlaneAddress, form: PlaneForm, options?: ReadOptions): Promise<PinnedPlane>;
  /**
   * Returns the overview of a large plane that is not in memory, read from its file: its three quantities one below the
   * other. That of a whole plane is kept like a plane. Returns nothing when the overview has to be computed from the plane.
   * @throws AcqError like `read`
   */
  farOverview(address: PlaneAddress, grid: OverviewGrid, signal?: AbortSignal): Promise<PinnedPlane | undefined>;
  /**
   * Returns what the acquisition of a session contains, with all of its scenes; read from the file when first asked for.
   * @throws AcqError `session_not_found`, `source_changed`, …
   */
  acquisitionInfo(sessionId: string): Promise<AcquisitionInfo>;
  /**
   * Resolves when files can be opened.
   * @throws AcqError `capacity_exceeded`, `internal_error` when nothing can be decoded
   */
  ready(): Promise<void>;
  /**
   * Ends every session and stops all decoding, workers included.
   * @returns whether every thread has ended: a thread stuck in a system call has not, and keeps the process alive
   */
  close(): Promise<boolean>;
}

export interface OpenSessionRequest {
  /** Absolute, `~` already expanded. */
  path: string;
  /** The path as the caller wrote it, for messages. */
  written?: string;
  options: ViewChoice;
  /** Life of the session; that of the settings when omitted. */
  ttlSeconds?: number | undefined;
  /** First digits of the session, from a balancer; see `makeId`. */
  label?: string | undefined;
  /** The user chose the path in the native dialog: the roots do not confine it. */
  picked: boolean;
  api?: SessionApi;
  /** Who asks; a program when omitted. */
  openedBy?: SessionClient;
  /** The user whose session it will be, on a server with users. */
  owner?: string;
  /** Folders that the user is confined to, inside the roots; all of the roots when omitted. */
  folders?: readonly string[];
  /** The server opens a file of its own, which counts against no limit. */
  isWarmUp?: boolean;
  /**
   * For a file that the server keeps for its sessions: called when the session begins, and returns what to call when it has
   * ended. The path is then private: the response has the name alone.
   */
  use?: () => SessionEnd;
  /** Aborts when the client leaves: decoding stops. */
  signal?: AbortSignal;
  /** Learns where the time goes. */
  timing?: Timing;
}

/** Called when a session has ended; `isTakenBack` when no client has learned of it. */
export type SessionEnd = (isTakenBack?: boolean) => void;

/** A plane of a session. */
export interface PlaneAddress extends AskedPlane {
  sessionId: string;
  api?: SessionApi;
  /** Any scene of the file, of which T and Z are 0 when omitted; the scene and the place of the session when omitted. */
  scene?: number;
}

export type PlaneShape = Pick<SourceData, 'rows' | 'columns' | 'sampleType'>;

/**
 * What is wanted of a plane. `served`: its samples as they are kept, in a type whose every number is one of float32. `native`: in
 * the type of the file (`float16` as float32). `levels`: its reduced levels in that type, one after the other, as one column; see
 * `levelShapes`. Or a plane that is computed from the served one, and kept like it: once for all who read it.
 */
export type PlaneForm = 'served' | 'native' | 'levels' | Reduction;

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Learns where the time goes. */
  timing?: Timing | undefined;
}

/** Makes a plane of as many columns from a plane. */
export interface Reduction {
  /** Name of the result, for its key. */
  name: string;
  /** Returns the rows of the result. */
  rows: (rows: number) => number;
  /** Puts every row of the result, which is float32. */
  run: (data: SourceData, put: (row: number, samples: Float32Array) => void, signal: AbortSignal) => Promise<void>;
}
