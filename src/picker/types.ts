/** A dialog chooses either files or folders: no desktop has one for both. */
export type PickKind = 'file' | 'folder';

export interface PickRequest {
  /** Window title; names who asks. */
  title: string;
  /** What may be chosen; `file` when left out. */
  kind?: PickKind;
  /** Offered first, each with its dot; "All files" is offered beside them. Of no effect on folders. */
  extensions: string[];
  /** The client left: the dialog closes. */
  signal: AbortSignal;
}

/** `reason`: the user closed the dialog, it was open for too long, or `signal` was aborted. */
export type PickResult =
  | { status: 'ok'; path: string }
  | { status: 'cancelled'; reason: 'user' | 'timeout' | 'disconnected' };

/** What is at an absolute path. @throws AcqError for a path that cannot be looked at */
export type FindPath = (path: string, signal: AbortSignal) => Promise<'file' | 'folder' | 'other'>;

/** The native file dialog of the machine that the server runs on. */
export interface Picker {
  /** @throws AcqError `picker_busy`, `picker_unavailable`, `path_not_found`, `path_not_readable` */
  pick(request: PickRequest): Promise<PickResult>;
}
