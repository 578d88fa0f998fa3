/** The page uses the server only through the typed client. */
export type { OpenChoice, OpenedAcquisition } from '../../../client/index.ts';
