import { type Static, Type } from 'typebox';
import { closed } from './common.js';

/** Max size of an axis that a request can name. */
const MAX_AXIS = 16_777_216;
const AxisSize = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_AXIS, description }));

/** @param title requests and responses have schemas of their own: responses may get further fields */
const fields = (title: string) => ({
  axes: Type.Optional(
    Type.Object(
      {
        T: AxisSize('Time points.'),
        Z: AxisSize('Sections.'),
        C: AxisSize('Channels; those of the file when omitted.'),
      },
      {
        ...closed,
        minProperties: 1,
        title,
        description: 'Sizes, whose product is the number of planes of the scene; 1 for T and Z when omitted.',
      },
    ),
  ),
  order: Type.Optional(
    Type.Array(Type.Enum(['T', 'Z', 'C'], { type: 'string' }), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description:
        'Axes from the slowest to the fastest, in which the planes follow each other. Those that are omitted come last, in ' +
        'the order T, Z, C.',
    }),
  ),
});

export const Interpretation = Type.Object(fields('InterpretedAxes'), {
  ...closed,
  minProperties: 1,
  title: 'Interpretation',
  description:
    'What the planes are, for a file that does not say it, or says it wrongly. They are counted as without this field: T ' +
    'slowest, then Z, then C. An axis that becomes another one has no step.',
  examples: [{ axes: { T: 14 } }, { axes: { T: 7, C: 2 } }, { order: ['Z', 'T'] }],
});
export type Interpretation = Static<typeof Interpretation>;

export const InterpretationInUse = Type.Object(fields('AxesInUse'), {
  ...closed,
  title: 'InterpretationInUse',
  description: 'What the request said that the planes are.',
});
