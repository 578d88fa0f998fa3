import type { OpenRequest } from '@acquisition-store/client/contract/open.js';
import type { ViewState } from './view-state.ts';

/** Large planes stay on the server, which need not decode them to show an overview. */
export const OPEN_CHOICE = { decode: 'small' } as const;

/** Returns the request for a file as a view shows it. */
export function toRequest(path: string, view: ViewState | null): OpenRequest {
  return {
    path,
    ...(view?.selection ? { selection: view.selection } : {}),
    ...(view?.projection ? { projection: view.projection } : {}),
    ...(view?.interpret ? { interpret: view.interpret } : {}),
    ...(view?.parts ? { parts: view.parts } : {}),
    ...(view?.channels ? { channelIndices: [...view.channels] } : {}),
  };
}
