/** What the control page and the supervisor send each other, as types: the page imports this file. */

/** A program that listens at the port of the server. Fields that the system does not reveal are missing. */
export interface PortOwner {
  pid?: number;
  program?: string;
  /** True for a server of this product. */
  isOurs: boolean;
}

/**
 * State of the image server. `failed`: it ended by itself or could not be started. `taken`: another program uses its port.
 */
export type ServerState =
  | { name: 'stopped' }
  | { name: 'starting' }
  | { name: 'running'; url: string; port: number; pid: number; since: number; health: Health }
  | { name: 'stopping' }
  | { name: 'failed'; message: string; lastLines: string[] }
  | { name: 'taken'; port: number; owner: PortOwner; freePort: number };

/** `answering`: the last check was answered. `silent`: it was not; `since` is when the checks began to fail. */
export type Health =
  | { name: 'unknown' }
  /** `memoryBytes`: what the process of the server occupies, where the system tells. */
  | { name: 'answering'; milliseconds: number; memoryBytes?: number }
  | { name: 'silent'; since: number };

export interface LogLine {
  /** Counts up from 1 for the life of the supervisor. */
  number: number;
  /** Milliseconds since 1970; 0 when the line has no time. */
  time: number;
  level: 'debug' | 'info' | 'warn' | 'error';
  text: string;
}

export interface RecentFile {
  path: string;
  name: string;
  openedAt: number;
}

/** Who opened an acquisition. `window`: the user, in this window. The others are those of the server. */
export interface Opener {
  kind: 'window' | 'program' | 'own-page' | 'trusted-page' | 'file-page';
  /** Of a page. */
  origin?: string;
}

/** An acquisition that the server has open. */
export interface OpenAcquisition {
  /** Names it in requests of the page; not the id of its session, which is the permission to read it. */
  number: number;
  name: string;
  /** The name alone for files that a page sent. */
  path: string;
  /** Set when there are several. */
  scene?: { index: number; name: string; count: number };
  openedBy: Opener;
  /** Milliseconds since 1970. */
  openedAt: number;
  /** When it is closed unless its client asks for more time. */
  expiresAt: number;
  /** Planes in memory, and their bytes. Acquisitions of one file share them. */
  planes: number;
  bytes: number;
  /** True when the viewer can show it. */
  canView: boolean;
}

export interface OpenAcquisitions {
  /** The latest first. */
  list: OpenAcquisition[];
  /** Bytes of all planes in memory, and their limit. */
  usedBytes: number;
  budgetBytes: number;
}

/** The settings that the page edits. Empty texts and lists stand for the default. */
export interface Settings {
  port: number;
  roots: string[];
  allowOrigins: string[];
  allowFilePages: boolean;
  sessionTtlSeconds: number;
  /** A size such as `4GB`; empty for a quarter of the memory of the computer. */
  memoryBudget: string;
}

/** Messages by the name of the setting that they are about. */
export type SettingFaults = Partial<Record<keyof Settings, string>>;

export interface StartAtLogin {
  /** False where this application cannot set it. */
  available: boolean;
  enabled: boolean;
}

/** `failed`: the address had no usable answer. `url` is always https. */
export type UpdateResult =
  | { name: 'none' | 'checking' }
  | { name: 'current'; checkedAt: number }
  | { name: 'newer'; version: string; url?: string; checkedAt: number }
  | { name: 'failed'; message: string; checkedAt: number };

export interface UpdatesState {
  /** Address of the file with the latest version; empty when there is none, and then nothing is asked. */
  address: string;
  /** Whether the user wants to know about new versions. */
  check: 'unasked' | 'yes' | 'no';
  result: UpdateResult;
}

/** Everything that the page shows, except the log. */
export interface PageState {
  version: string;
  server: ServerState;
  settings: Settings;
  /** True when the server runs with other settings than the saved ones. */
  restartNeeded: boolean;
  /** Why the settings file cannot be read; empty when it can. */
  settingsProblem: string;
  recent: RecentFile[];
  /** Null while the server does not run. */
  open: OpenAcquisitions | null;
  startAtLogin: StartAtLogin;
  updates: UpdatesState;
  logFile: string;
  settingsFile: string;
  canQuit: boolean;
  /** True when the application opens the viewer itself; otherwise the page does. */
  opensViewer: boolean;
}

/** One line of `GET /api/events`. */
export type PageEvent =
  | { kind: 'state'; state: PageState }
  | { kind: 'log'; lines: LogLine[] }
  | { kind: 'viewer'; url: string }
  /** The application has opened an address in the browser of the user. */
  | { kind: 'shown'; text: string }
  | { kind: 'not-shown'; url: string; problem: string }
  | { kind: 'notice'; message: string; outside?: OutsideFolders };

/** A file that the settings do not let the server open. */
export interface OutsideFolders {
  path: string;
  /** The folder to allow, so that it can be opened. */
  folder: string;
}

export interface RefusalDetails {
  faults?: SettingFaults;
  outside?: OutsideFolders;
}

/** Answer to a request that failed. */
export interface Refusal extends RefusalDetails {
  error: string;
  message: string;
}

/** Answer to `POST /api/open` and `POST /api/pick`. */
export interface Opened {
  /** Null when the user chose nothing. */
  viewer: string | null;
  name: string;
}

export interface Format {
  name: string;
  extensions: string[];
}

/** What a page knows of a dropped file. */
export interface DroppedFile {
  name: string;
  size: number;
  modified: number;
  /** Name of the dropped folder that the file is in. */
  folder?: string;
}
