/** Which part of a file to open, and how. */
import type { OpenRequest } from './contract/open.js';

/** The part of a file to open. */
export type OpenChoice = Omit<OpenRequest, 'path'>;

type Dropped = 'projection' | 'interpret' | 'channelIndices';

/** What to change of how a file was opened; `null` takes back what the file was opened with. */
export type SelectChoice = Omit<OpenChoice, Dropped> & { [choice in Dropped]?: OpenChoice[choice] | null };

const SHARED = [
  'projection',
  'decode',
  'ttlSeconds',
  'channelIndices',
  'selection',
  'calibration',
  'interpret',
  'parts',
] as const satisfies readonly (keyof OpenChoice)[];

/** Returns the options that all ways of opening share, without those of the file dialog. */
export function toChoice(options: OpenChoice): OpenChoice {
  return Object.fromEntries(SHARED.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** Returns the request to open the same file as `choice` says; what it omits stays the same. */
export function changeRequest<Request extends OpenChoice>(request: Request, choice: SelectChoice): Request {
  const changed = Object.entries({ ...request, ...choice });
  return Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined)) as Request;
}
