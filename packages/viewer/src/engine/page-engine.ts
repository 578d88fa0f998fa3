/** Opens files in the page, without a server. */
import type { CallOptions } from '@acquisition-store/client';
import type { ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { GivenFiles } from '../model/client.ts';
import { WorkerHost } from './host.ts';
import { PageAcquisition } from './page-acquisition.ts';

/** @throws AcqClientError like an open of the server */
export function openInPage(given: GivenFiles, choice: ViewChoice = {}, options: CallOptions = {}) {
  const create = () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  return PageAcquisition.open(new WorkerHost(given, create), choice, options);
}
