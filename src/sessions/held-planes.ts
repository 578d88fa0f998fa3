import type { PlaneSet } from '../describe.js';
import type { PlaneCache } from './plane-cache.js';
import { cacheKey } from './record.js';
import type { SessionPlane } from './types.js';

/** Planes of a session to come: each is a promise in the cache, and counted, before its decode starts. */
export interface HeldPlanes {
  /** Receives the decoded planes by channel index. */
  store: Map<number, (bytes: Uint8Array) => void>;
  /** Takes all of them back; what is not decoded yet fails with `error`. */
  giveUp: (error: unknown) => void;
}

/** Room for them was made before. */
export function holdPlanes(
  cache: PlaneCache,
  sessionId: string,
  kind: SessionPlane['kind'],
  planes: PlaneSet | null,
): HeldPlanes {
  const store: HeldPlanes['store'] = new Map();
  const undo: HeldPlanes['giveUp'][] = [];
  for (const channelIndex of planes?.channelIndices ?? []) {
    const key = cacheKey({ sessionId, kind, channelIndex });
    const bytes = new Promise<Uint8Array>((resolve, reject) => {
      store.set(channelIndex, resolve);
      undo.push((error) => {
        reject(error);
        cache.remove(key);
      });
    });
    cache.put(key, planes?.planeBytes ?? 0, bytes);
  }
  return {
    store,
    giveUp: (error) => {
      for (const one of undo) one(error);
    },
  };
}
