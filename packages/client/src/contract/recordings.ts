/** What lists of many recordings tell of each. */
import { type Static, Type } from 'typebox';
import { ApiVersion, closed, Ok, Unit } from './common.js';
import { Instrument } from './instrument.js';
import { StepOrigin } from './open.js';
import { Recording } from './recording.js';

const AxisStep = Type.Object(
  {
    step: Type.Number({
      exclusiveMinimum: 0,
      description: 'Distance between neighbors in `unit`; 1 without a calibration.',
    }),
    unit: Unit,
    origin: StepOrigin,
  },
  { ...closed, title: 'AxisStep', description: 'Step of one axis.' },
);

const size = (what: string) => Type.Integer({ minimum: 1, description: what });

export const RecordingDetails = Type.Object(
  {
    ok: Ok,
    name: Type.String({ description: 'Name of its file or folder.' }),
    format: Type.String({ description: 'Canonical extension of the format without its dot, as in `source.format`.' }),
    formatName: Type.String({ description: 'Name of the format for people.' }),
    size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Bytes of all its files; `null` when there are too many to look at.',
    }),
    modified: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Time of the last change of its main file in milliseconds since 1970.',
    }),
    files: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: 'Number of its files, by what is in them; `null` when there are very many, or all of a folder.',
    }),
    date: Type.String({ description: 'Date of the recording as `YYYYMMDD`, or empty when it is not known.' }),
    time: Type.String({ description: 'Time of the recording as `HH:MM:SS`, or empty when it is not known.' }),
    recording: Type.Optional(Recording),
    instrument: Type.Optional(Instrument),
    scenes: size('Number of scenes.'),
    dtype: Type.String({ description: 'Pixel type in the file by its numpy name, for example `uint16`.' }),
    channels: Type.Array(Type.String(), { minItems: 1, description: 'Names of the channels.' }),
    sizes: Type.Object(
      { T: size('Time points.'), Z: size('Sections.'), Y: size('Rows.'), X: size('Columns.') },
      { ...closed, title: 'AxisSizes', description: 'Size of each axis.' },
    ),
    steps: Type.Object(
      { T: AxisStep, Z: AxisStep, Y: AxisStep, X: AxisStep },
      {
        ...closed,
        title: 'AxisSteps',
        description: 'Step of each axis: its unit is that of an index where there is no calibration.',
      },
    ),
    thumbnail: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          'When asked for: a gray PNG image of the first plane as a `data:` address, at most 96 pixels wide and high. `null` when the ' +
          'plane cannot be read, or is too large.',
      }),
    ),
    warnings: Type.Array(Type.String(), {
      description: 'What was assumed, repaired or found inconsistent, of all scenes.',
    }),
  },
  {
    ...closed,
    title: 'RecordingDetails',
    description:
      'What is in a recording. A recording in several files is told of as a whole. Sizes, steps, channels, date and instrument are those ' +
      'of the first scene.',
  },
);
export type RecordingDetails = Static<typeof RecordingDetails>;

export const UnreadRecording = Type.Object(
  {
    ok: Type.Literal(false, { description: '`false`: there are no details.' }),
    error: Type.String({ description: 'Code of the error that opening it would answer.' }),
    message: Type.String({ description: 'The error in words.' }),
  },
  { ...closed, title: 'UnreadRecording', description: 'A recording that cannot be opened.' },
);

export const DescribedRecording = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    path: Type.String({ description: 'Real absolute path that was opened.' }),
    details: RecordingDetails,
    first: Type.Optional(
      Type.String({
        description:
          'Name of the file that stands for its recording in several files, when that is another one: the one that describes it, or the first.',
      }),
    ),
    others: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of the other files in its folder that belong to it.' }),
    ),
  },
  { ...closed, title: 'DescribedRecording', description: 'What is in one recording, and which files belong to it.' },
);
export type DescribedRecording = Static<typeof DescribedRecording>;

export const RecordingQuery = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'Absolute path, as for `POST /api/v2/open`.' }),
    thumbnail: Type.Optional(
      Type.Enum(['true', 'false'], { type: 'string', description: '`true` adds a small picture of the first plane.' }),
    ),
  },
  closed,
);
