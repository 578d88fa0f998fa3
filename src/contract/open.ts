import { type Static, Type } from 'typebox';
import { API_VERSION, BinaryDescription, closed, Unit } from './common.js';

const SampleType = Type.String({ description: 'Pixel type stored in the file, by its numpy name, e.g. `uint16`.' });
const Step = Type.Number({ exclusiveMinimum: 0 });
const ChannelIndices = Type.Array(Type.Integer(), {
  description: 'Channels to load, in this order; all when omitted.',
});

const SELECTION =
  'Scene, time point and Z section. A dimension that is omitted is 0, unless `path` names a file inside a multi-file ' +
  'acquisition: then it is that of the first plane in this file.';

/** Dimension name → index for the dimensions that are not part of the plane. */
export const Selection = Type.Object(
  {
    S: Type.Optional(Type.Integer()),
    T: Type.Optional(Type.Integer()),
    Z: Type.Optional(Type.Integer()),
  },
  { ...closed, title: 'Selection', description: SELECTION },
);
export type Selection = Static<typeof Selection>;

const StepOverride = Type.Object(
  { step: Step, unit: Type.Enum(['seconds', 'micrometer', 'Pixels'], { type: 'string' }) },
  { ...closed, title: 'StepOverride' },
);

export const CalibrationOverride = Type.Object(
  { Y: Type.Optional(StepOverride), X: Type.Optional(StepOverride) },
  { ...closed, title: 'CalibrationOverride', description: 'Replaces the steps of the plane.' },
);
export type CalibrationOverride = Static<typeof CalibrationOverride>;

const openOptions = {
  channelIndices: Type.Optional(ChannelIndices),
  selection: Type.Optional(Selection),
  calibration: Type.Optional(CalibrationOverride),
};

export const OpenRequest = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'Absolute path visible to the server; `~/` is expanded.' }),
    ...openOptions,
  },
  { ...closed, title: 'OpenRequest' },
);
export type OpenRequest = Static<typeof OpenRequest>;

export const PickAndOpenRequest = Type.Object(
  {
    ...openOptions,
    kind: Type.Optional(
      Type.Enum(['file', 'folder'], {
        type: 'string',
        description: 'What the dialog lets the user choose; `file` when omitted. A folder may be an acquisition.',
      }),
    ),
    extensions: Type.Optional(
      Type.Array(Type.String({ pattern: '^\\.[^\\s/\\\\]+$', maxLength: 32 }), {
        maxItems: 256,
        description:
          'Extensions that the picker offers, each with its dot; all allowed ones when omitted. Folders are not filtered.',
      }),
    ),
  },
  { ...closed, title: 'PickAndOpenRequest' },
);
export type PickAndOpenRequest = Static<typeof PickAndOpenRequest>;

export const SceneSummary = Type.Object(
  {
    index: Type.Integer({ minimum: 0 }),
    name: Type.String(),
    sizes: Type.Record(Type.String(), Type.Integer({ minimum: 1 })),
  },
  { ...closed, title: 'SceneSummary' },
);

export const Source = Type.Object(
  {
    path: Type.String(),
    name: Type.String(),
    format: Type.String(),
    sourceDtype: SampleType,
    numChannels: Type.Integer({ minimum: 1 }),
    scenes: Type.Optional(
      Type.Array(SceneSummary, { description: 'The scenes to select from; present when there are several.' }),
    ),
  },
  { ...closed, title: 'Source' },
);

const StepOrigin = Type.Enum(['file', 'sidecar', 'derived', 'default'], { type: 'string' });

export const Header = Type.Object(
  {
    shape: Type.Array(Type.Integer({ minimum: 1 })),
    dims: Type.Array(Type.String()),
    sizes: Type.Record(Type.String(), Type.Integer({ minimum: 1 })),
    dtype: SampleType,
    numChannels: Type.Integer({ minimum: 1 }),
    physicalUnits: Type.Array(Step),
    physicalUnitsLabels: Type.Array(Unit),
    date: Type.String({ description: '`YYYYMMDD` or empty.' }),
    time: Type.String({ description: '`HH:MM:SS` or empty.' }),
    fileSize: Type.String({ description: 'Decimal, e.g. `4.8 MB`, or empty.' }),
    calibration: Type.Array(StepOrigin, { description: 'Where each step came from, aligned with `dims`.' }),
  },
  { ...closed, title: 'Header' },
);
export type Header = Static<typeof Header>;

export const Axis = Type.Object(
  {
    arrayDimension: Type.Integer({ minimum: 0, maximum: 1 }),
    name: Type.String(),
    size: Type.Integer({ minimum: 1 }),
    step: Step,
    unit: Unit,
  },
  { ...closed, title: 'Axis' },
);

export const Plane = Type.Object(
  {
    shape: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 2, maxItems: 2 }),
    axes: Type.Array(Axis, { minItems: 2, maxItems: 2 }),
    ...BinaryDescription,
  },
  { ...closed, title: 'Plane' },
);
export type Plane = Static<typeof Plane>;

const Window = Type.Object(
  { start: Type.Number(), end: Type.Number() },
  { ...closed, description: 'Values that the file wants shown as black and as full; present when it says so.' },
);

export const Channel = Type.Object(
  {
    index: Type.Integer({ minimum: 0 }),
    name: Type.String(),
    byteLength: Type.Integer({ minimum: 0 }),
    dataUrl: Type.String(),
    window: Type.Optional(Window),
  },
  { ...closed, title: 'Channel' },
);
export type Channel = Static<typeof Channel>;

export const Reference = Type.Object(
  {
    plane: Plane,
    channels: Type.Array(Channel),
    lineRoi: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()]),
    scanPath: Type.Union([
      Type.Object({ x: Type.Array(Type.Number()), y: Type.Array(Type.Number()) }, closed),
      Type.Null(),
    ]),
  },
  { ...closed, title: 'Reference' },
);
export type Reference = Static<typeof Reference>;

export const OpenResponse = Type.Object(
  {
    ok: Type.Literal(true),
    apiVersion: Type.Literal(API_VERSION),
    sessionId: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    source: Source,
    header: Header,
    plane: Plane,
    channels: Type.Array(Channel),
    reference: Type.Union([Reference, Type.Null()]),
    selection: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description: 'The selection in use; present when the file has dimensions to select from.',
      }),
    ),
    warnings: Type.Array(Type.String()),
  },
  { ...closed, title: 'OpenResponse' },
);
export type OpenResponse = Static<typeof OpenResponse>;

export const Cancelled = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.Literal('cancelled'),
    message: Type.String(),
    details: Type.Null(),
  },
  { ...closed, title: 'Cancelled' },
);
export type Cancelled = Static<typeof Cancelled>;
