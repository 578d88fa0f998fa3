/** The typed client is the only way to the server. */
export type { CallOptions, OpenChoice, OpenedAcquisition } from '../../../client/index.ts';
