import { type Static, Type } from 'typebox';
import { ApiVersion, closed, Ok } from './common.js';

const AXES = ['T', 'Z', 'Y'] as const;

const axisFields = {
  unit: Type.Enum(['seconds', 'micrometer'], { type: 'string', description: 'Unit of the values.' }),
  source: Type.String({ description: 'What was measured, for example `time stamps`.' }),
  uneven: Type.Boolean({ description: '`true` when an interval differs from the mean by more than a tenth.' }),
};

const MeasuredAxis = Type.Object(axisFields, {
  ...closed,
  title: 'MeasuredAxis',
  description: 'An axis whose values are known one by one.',
});

const AxisValues = Type.Object(
  {
    ...axisFields,
    values: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
      description:
        'One value for each index from `from`; 0 for the first index that is known, `null` where the file has none.',
    }),
  },
  { ...closed, title: 'AxisValues', description: 'Where the indices of an axis lie.' },
);

/** A field for each axis that has measured values. */
const forAxes = <T extends typeof MeasuredAxis | typeof AxisValues>(value: T) => ({
  T: Type.Optional(value),
  Z: Type.Optional(value),
  Y: Type.Optional(value),
});

export const MeasuredAxes = Type.Object(forAxes(MeasuredAxis), {
  ...closed,
  title: 'MeasuredAxes',
  description:
    'Axes for which the file has a time or position of each index: `GET …/coordinates` has the values. Absent without ' +
    'such axes.',
});
export type MeasuredAxes = Static<typeof MeasuredAxes>;

const Start = Type.Union([Type.String(), Type.Null()], {
  description:
    'Date and time of the value 0, the first plane, as ISO 8601, with `Z` or the offset where it is known to be in UTC or in a ' +
    'time zone. Where the file tells only the start of the recording, it is `source.instrument.start`; else it is that of ' +
    '`header`, by the clock of the recording computer. `null` when it is not known.',
});

export const Coordinates = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    start: Start,
    axes: Type.Object(forAxes(AxisValues), { ...closed, description: 'Axes that have measured values.' }),
  },
  { ...closed, title: 'Coordinates', description: 'Times and positions as they were measured.' },
);
export type Coordinates = Static<typeof Coordinates>;

/** Max values of an axis, and rows of a table, in one response. */
export const MAX_COORDINATES = 100_000;

export const CoordinatesQuery = Type.Object(
  {
    from: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Index of the first value of each axis. 0 when omitted.' }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_COORDINATES,
        description: `Number of values of each axis. As many as there are when omitted, at most ${MAX_COORDINATES}.`,
      }),
    ),
    axis: Type.Optional(
      Type.Enum([...AXES], { type: 'string', description: 'Only this axis. All measured ones when omitted.' }),
    ),
    as: Type.Optional(
      Type.Enum(['json', 'raw', 'npy'], {
        type: 'string',
        description:
          '`json` (default): the object. `raw`: the values of `axis` as little-endian float64, not a number (NaN) where JSON ' +
          'has `null`. `npy`: the same in a NumPy file.',
      }),
    ),
  },
  closed,
);

const column = (description: string) =>
  Type.Optional(
    Type.Array(Type.Union([Type.Number(), Type.Null()]), {
      description: `${description} \`null\` where the file has none. Absent when it has none at all.`,
    }),
  );
const index = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description });

export const PlaneTable = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    start: Start,
    total: Type.Integer({ minimum: 1, description: 'Planes of the scene: the rows of the whole table.' }),
    columns: Type.Object(
      {
        T: index('Time point.'),
        Z: index('Section.'),
        C: index('Channel of the file.'),
        time: column('Seconds from the first plane that has a time.'),
        exposure: column('Exposure time in seconds.'),
        x: column('Position of the stage in µm.'),
        y: column('Position of the stage in µm.'),
        z: column('Position of the focus in µm; from the first section where the file has only distances.'),
      },
      { ...closed, description: 'Columns of one length: rows `from` to `from + count − 1`, by T, then Z, then C.' },
    ),
  },
  { ...closed, title: 'PlaneTable', description: 'One row for each plane of the scene.' },
);
export type PlaneTable = Static<typeof PlaneTable>;

export const PlaneTableQuery = Type.Object(
  {
    from: Type.Optional(Type.Integer({ minimum: 0, description: 'First row. 0 when omitted.' })),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_COORDINATES,
        description: `Number of rows. As many as there are when omitted, at most ${MAX_COORDINATES}.`,
      }),
    ),
  },
  closed,
);
