/** A dialog selects either files or folders; no desktop has one for both. */
export type PickKind = 'file' | 'folder';

export interface PickRequest {
  /** Window title; names the requester. */
  title: string;
  /** What the user can choose; `file` by default. */
  kind?: PickKind;
  /** Extensions of the first filter, each with its dot. "All files" is the second filter. Folders are not filtered. */
  extensions: string[];
  /** Closes the dialog, for example when the client disconnects. */
  signal: AbortSignal;
}

/** `reason`: the user closed the dialog, it reached its time limit, or `signal` was aborted. */
export type PickResult =
  | { status: 'ok'; path: string }
  | { status: 'cancelled'; reason: 'user' | 'timeout' | 'disconnected' };

/** Returns what is at an absolute path. @throws AcqError for a path that cannot be accessed */
export type FindPath = (path: string, signal: AbortSignal) => Promise<'file' | 'folder' | 'other'>;

/** The native file dialog of the computer that the server runs on. */
export interface Picker {
  /** False when this computer certainly has no display. */
  readonly hasDisplay?: boolean;
  /**
   * Shows a dialog and waits for the user.
   * @throws AcqError `picker_busy`, `picker_unavailable`, `path_not_found`, `path_not_readable`
   */
  pick(request: PickRequest): Promise<PickResult>;
}
