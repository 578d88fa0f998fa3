export interface PickRequest {
  /** Window title; names who asks. */
  title: string;
  /** Offered first, each with its dot; "All files" is offered beside them. */
  extensions: string[];
  /** The client left: the dialog closes. */
  signal: AbortSignal;
}

export type PickResult = { status: 'ok'; path: string } | { status: 'cancelled' };

/** The native file dialog of the machine that the server runs on. */
export interface Picker {
  /** @throws AcqError `picker_busy`, `picker_unavailable` */
  pick(request: PickRequest): Promise<PickResult>;
}
