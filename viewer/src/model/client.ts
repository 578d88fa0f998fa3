import type { OpenResponse } from '../../../src/contract/open.js';

/** What the page needs of an opened acquisition of the client. */
export interface OpenedAcquisition {
  readonly info: OpenResponse;
}
