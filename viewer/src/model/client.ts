/** The page uses the server only through the typed client. */
export type { OpenChoice, OpenedAcquisition, SelectChoice } from '../../../client/index.ts';
