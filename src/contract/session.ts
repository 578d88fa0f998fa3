import { type Static, Type } from 'typebox';
import { closed } from './common.js';

export const SessionStatus = Type.Object(
  {
    ok: Type.Literal(true),
    sessionId: Type.String(),
    ttlSecondsRemaining: Type.Number({ minimum: 0 }),
    channelIndices: Type.Array(Type.Integer({ minimum: 0 })),
    referenceChannelIndices: Type.Array(Type.Integer({ minimum: 0 })),
    totalBytes: Type.Integer({ minimum: 0 }),
  },
  { ...closed, title: 'SessionStatus' },
);
export type SessionStatus = Static<typeof SessionStatus>;

export const DeleteResult = Type.Object(
  { ok: Type.Literal(true), sessionId: Type.String(), deleted: Type.Literal(true) },
  { ...closed, title: 'DeleteResult' },
);
export type DeleteResult = Static<typeof DeleteResult>;

export const SessionParams = Type.Object({
  sessionId: Type.String({ description: 'From the open response. Knowing it is the permission to read its data.' }),
});

export const ChannelParams = Type.Object({
  ...SessionParams.properties,
  channelIndex: Type.Integer({ description: 'Source channel index, as in the open response.' }),
});
