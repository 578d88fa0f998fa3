import { type Static, Type } from 'typebox';
import { closed, Ok } from './common.js';

const SessionId = Type.String({
  description: 'The id from the open response. Knowing it is the permission to read the data of the session.',
});

export const SessionStatus = Type.Object(
  {
    ok: Ok,
    sessionId: SessionId,
    ttlSecondsRemaining: Type.Number({
      minimum: 0,
      description:
        'Seconds until the session ends, with fractions. It counts from the open or the last renewal; ' +
        'reading does not extend it. After that every request for the session answers `session_not_found`, and so does one that ' +
        'ended earlier to make room for others (`--max-sessions`).',
    }),
    channelIndices: Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'Source channels of the session, in ascending order regardless of the request.',
    }),
    referenceChannelIndices: Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'Channels of the reference image, in ascending order. Empty without a reference image.',
    }),
    totalBytes: Type.Integer({
      minimum: 0,
      description: 'Sum of `byteLength` over all channels and reference channels.',
    }),
  },
  { ...closed, title: 'SessionStatus', description: 'What a session contains, and how long it lives.' },
);
export type SessionStatus = Static<typeof SessionStatus>;

export const DeleteResult = Type.Object(
  { ok: Ok, sessionId: SessionId, deleted: Type.Literal(true, { description: 'The session no longer exists.' }) },
  { ...closed, title: 'DeleteResult', description: 'The session has ended.' },
);
export type DeleteResult = Static<typeof DeleteResult>;

export const AcquisitionQuery = Type.Object(
  {
    metadata: Type.Optional(
      Type.Enum(['true', 'false'], {
        type: 'string',
        description: '`true` adds `source.metadata`, which is read from the file now. `false` when omitted.',
      }),
    ),
  },
  closed,
);

export const SessionParams = Type.Object({ sessionId: SessionId });

const Place = (name: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, description: `${name}, counted from 0. That of the open request when omitted.` }),
  );

/** Which plane of a channel, in the scene of the session. */
export const PlaceFields = { T: Place('Time point'), Z: Place('Section') };

export const PlaneQuery = Type.Object(PlaceFields, closed);

/** What samples are sent as. */
export const SampleForm = Type.Enum(['served', 'native'], {
  type: 'string',
  description:
    '`served` (default): float32. `native`: the type of the file, little-endian; half-precision floats as float32.',
});

export const DataQuery = Type.Object({ ...PlaceFields, type: Type.Optional(SampleForm) }, closed);

export const ChannelParams = Type.Object({
  ...SessionParams.properties,
  channelIndex: Type.Integer({
    description: '`index` of a channel in the open response: its position in the file, not in the list.',
  }),
});
