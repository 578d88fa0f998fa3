import { type Static, Type } from 'typebox';
import { ERROR_STATUS, type ErrorCode } from '../errors.js';
import { closed } from './common.js';

const codes = Object.keys(ERROR_STATUS) as ErrorCode[];

export const ValidationDetail = Type.Object(
  { location: Type.Array(Type.String()), message: Type.String(), type: Type.String() },
  { ...closed, title: 'ValidationDetail' },
);

/** The one envelope of every answer that is not a success. */
export const ErrorEnvelope = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.Union(codes.map((code) => Type.Literal(code))),
    message: Type.String(),
    details: Type.Union([Type.Array(ValidationDetail), Type.Null()]),
  },
  { ...closed, title: 'Error' },
);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;
