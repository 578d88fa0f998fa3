import type { Occupancy } from '../decode/types.js';
import type { Load } from '../metrics.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { SessionRecord } from './record.js';
import type { SessionApi, SessionClient } from './types.js';

/** An open session, for the user of the computer. The id is the permission to read it: no page may get this list. */
export interface ListedSession {
  sessionId: string;
  /** Name of the acquisition. */
  name: string;
  /** Real absolute path; the name alone for files that a page sent. */
  path: string;
  api: SessionApi;
  /** Set when the acquisition has several scenes. `name` may be empty. */
  scene?: { index: number; name: string; count: number };
  openedBy: SessionClient;
  /** Milliseconds since 1970. */
  openedAt: number;
  expiresAt: number;
  /** Planes in memory that the session uses, and their bytes. Sessions of one file share planes: each of them counts them. */
  planes: number;
  bytes: number;
}

export interface SessionList {
  /** The latest first. */
  sessions: ListedSession[];
  /** Bytes of all planes in memory, and their limit. */
  usedBytes: number;
  budgetBytes: number;
}

/** Origins are as long as a header may be. */
const MAX_ORIGIN = 200;

/** Lists sessions, given in the order of their opens, for the user of the computer; without those of the server itself. */
export function listSessions(records: readonly SessionRecord[], cache: PlaneCache): SessionList {
  const shown = records.filter(({ isWarmUp }) => !isWarmUp);
  return {
    sessions: shown.map((record) => toListed(record, cache)).reverse(),
    usedBytes: cache.usedBytes,
    budgetBytes: cache.arena.budget,
  };
}

/** @param occupancy what the workers do, if there are any */
export function toLoad(
  { usedBytes, arena }: PlaneCache,
  sessions: number,
  occupancy: Occupancy = { busy: 0, idle: 0, stuck: 0, waiting: 0 },
): Omit<Load, 'followers'> {
  const { waiting: queue, ...workers } = occupancy;
  return {
    ...{ usedBytes, scratchBytes: arena.state.scratchBytes, budgetBytes: arena.budget },
    ...{ sessions, queue, workers },
  };
}

function toListed(record: SessionRecord, cache: PlaneCache): ListedSession {
  const { id: sessionId, api, description, openedBy, openedAt, expiresAt } = record;
  const { name, path, scenes } = description.source;
  const scene = scenes && {
    index: record.scene,
    name: scenes.find(({ index }) => index === record.scene)?.name ?? '',
    count: scenes.length,
  };
  return {
    ...{ sessionId, name, path, api, openedAt, expiresAt },
    ...(scene ? { scene } : {}),
    openedBy: { ...openedBy, origin: openedBy.origin?.slice(0, MAX_ORIGIN) },
    ...cache.heldFor(sessionId),
  };
}
