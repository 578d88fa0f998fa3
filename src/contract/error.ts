import { type Static, type TSchema, Type } from 'typebox';
import { ERROR_STATUS, type ErrorCode } from '../errors.js';
import { closed } from './common.js';

export const ValidationDetail = Type.Object(
  {
    location: Type.Array(Type.String(), {
      description: 'Where, from the outside in, e.g. `body`, `channelIndices`, `0`.',
    }),
    message: Type.String(),
    type: Type.String({ description: 'Stable kind of the mistake, e.g. `missing`, `extra_forbidden`, `int_type`.' }),
  },
  { ...closed, title: 'ValidationDetail' },
);

const details = Type.Union([Type.Array(ValidationDetail), Type.Null()], {
  description: 'Null but for `request_validation_failed`.',
});

function envelope(codes: readonly ErrorCode[], options: { title?: string; description?: string } = {}) {
  return Type.Object(
    { ok: Type.Literal(false), error: Type.Enum([...codes], { type: 'string' }), message: Type.String(), details },
    { ...closed, ...options },
  );
}

/** The one envelope of every answer that is not a success. */
export const ErrorEnvelope = envelope(Object.keys(ERROR_STATUS) as ErrorCode[], { title: 'Error' });
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;

/** The error responses of an operation by status, each with the codes that can occur there. */
export function errorResponses(codes: readonly ErrorCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = ERROR_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [
      status,
      envelope(own, { description: own.map((code) => `\`${code}\``).join(', ') }),
    ]),
  );
}
