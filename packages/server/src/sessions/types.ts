import type { AskedPlane, ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
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
   * ended; `isTakenBack` when no client has learned of it. The path is then private: the response has the name alone.
   */
  use?: () => (isTakenBack: boolean) => void;
  /** Aborts when the client leaves: decoding stops. */
  signal?: AbortSignal;
  /** Learns where the time goes. */
  timing?: Timing;
}

/** A plane of the scene of a session. */
export interface PlaneAddress extends AskedPlane {
  sessionId: string;
  api?: SessionApi;
}

export type PlaneShape = Pick<SourceData, 'rows' | 'columns' | 'sampleType'>;

/**
 * What is wanted of a plane. `served`: its samples as they are kept, in a type whose every number is one of float32. `native`: in
 * the type of the file (`float16` as float32).
 */
export type PlaneForm = 'served' | 'native';
