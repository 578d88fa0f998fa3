import { type Static, Type } from 'typebox';
import { ApiVersion, closed, Ok } from './common.js';
import { SessionParams } from './session.js';

/** Media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

const Common = { ok: Ok, apiVersion: ApiVersion, sessionId: SessionParams.properties.sessionId };

export const StateEvent = Type.Object({ ...Common, revision: Type.Union([Type.String(), Type.Null()]) }, closed);
export type StateEvent = Static<typeof StateEvent>;

export const ChangedEvent = Type.Object({ ...Common, revision: Type.String() }, closed);
export type ChangedEvent = Static<typeof ChangedEvent>;

export const EndedEvent = Type.Object({ ...Common, reason: Type.Enum(['deleted', 'expired', 'stopped']) }, closed);
export type EndedEvent = Static<typeof EndedEvent>;
