/** Every check of the kit, in the order of the contract. */
import type { Check } from '../types.js';
import { additionsOfCoordinates } from './additions-coordinates.js';
import { additionsOfAnalysis, additionsOfData, additionsOfZarr } from './additions-data.js';
import { additionsOfFiles, additionsOfHttp } from './additions-http.js';
import { additionsOfDiscovery, additionsOfOpen, additionsOfSessions } from './additions-open.js';
import { data } from './data.js';
import { discovery } from './discovery.js';
import { errors } from './errors.js';
import { open } from './open.js';
import { reference } from './reference.js';
import { session } from './session.js';
import { v1 } from './v1.js';

export const CHECKS: readonly Check[] = [
  ...discovery,
  ...open,
  ...data,
  ...reference,
  ...session,
  ...errors,
  ...additionsOfDiscovery,
  ...additionsOfOpen,
  ...additionsOfSessions,
  ...additionsOfCoordinates,
  ...additionsOfData,
  ...additionsOfAnalysis,
  ...additionsOfZarr,
  ...additionsOfHttp,
  ...additionsOfFiles,
  ...v1,
];
