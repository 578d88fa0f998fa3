/** The page uses the server only through the typed client. */
import type { CallOptions, OpenedAcquisition as ClientAcquisition, SelectChoice } from '@acquisition-store/client';

export type { SelectChoice } from '@acquisition-store/client';

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

/** What the page uses of an acquisition. A kymograph of a stack behaves like one. */
export interface OpenedAcquisition extends Pick<ClientAcquisition, Used> {
  /** Absent for a kymograph, which has no planes of its own. */
  planes?: ClientAcquisition['planes'];
  select(choice: SelectChoice, options?: CallOptions): Promise<OpenedAcquisition>;
  openAgain(choice: SelectChoice, options?: CallOptions): Promise<OpenedAcquisition>;
}
