import type { Occupancy } from '../decode/types.js';
import type { Load } from '../metrics.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { SessionRecord } from './record.js';
import type { ListedSession, SessionList } from './types.js';

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
  followers: number,
  occupancy: Occupancy = { busy: 0, idle: 0, stuck: 0, waiting: 0 },
): Load {
  const { waiting: queue, ...workers } = occupancy;
  return {
    ...{ usedBytes, scratchBytes: arena.state.scratchBytes, budgetBytes: arena.budget },
    ...{ sessions, followers, queue, workers },
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
