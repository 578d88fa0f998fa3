import { type Static, Type } from 'typebox';

/** One entry of `details` of `request_validation_failed`. */
export const ValidationDetail = Type.Object(
  {
    location: Type.Array(Type.String(), {
      description: 'Where the fault is, from the outside in, for example `["body", "channelIndices", "0"]`.',
    }),
    message: Type.String({ description: 'What is wrong, for people.' }),
    type: Type.String({
      description:
        'Stable kind of the fault, for example `missing`, `extra_forbidden`, `int_type`, `path_not_absolute`.',
    }),
  },
  { additionalProperties: false, title: 'ValidationDetail', description: 'One fault of a request.' },
);
export type ValidationDetail = Static<typeof ValidationDetail>;
