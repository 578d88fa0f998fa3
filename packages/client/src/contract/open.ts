import { STEP_ORIGINS } from '@acquisition-store/readers/model/acquisition.js';
import { type Static, Type } from 'typebox';
import { CalibrationOverride } from './calibration.js';
import { ApiVersion, BinaryDescription, closed, Ok, Unit } from './common.js';
import { MeasuredAxes } from './coordinates.js';
import { channelOptics, Instrument } from './instrument.js';
import { Interpretation, InterpretationInUse } from './interpretation.js';
import { Parts, PartsInUse, Recording } from './recording.js';
import { VendorMetadata } from './vendor-metadata.js';
import { ZarrAddresses } from './zarr.js';

const SampleType = Type.String({
  description: 'Pixel type in the file by its numpy name, for example `uint16`. Planes are always served as float32.',
});
const Step = Type.Number({
  exclusiveMinimum: 0,
  description: 'Physical distance between neighbors along the dimension, in its unit. Finite; 1 without a calibration.',
});
const ChannelIndices = Type.Array(Type.Integer(), {
  description:
    'Source channels to load, counted from 0, without duplicates. The response lists them in this order. All channels when omitted.',
});

/** Dimension name → index for the dimensions that are not part of the plane. */
export const Selection = Type.Object(
  {
    S: Type.Optional(Type.Integer({ description: 'Scene (position, series).' })),
    T: Type.Optional(Type.Integer({ description: 'Time point.' })),
    Z: Type.Optional(Type.Integer({ description: 'Z section.' })),
  },
  {
    ...closed,
    title: 'Selection',
    description:
      'Which plane to open, by index from 0. Name only dimensions that the file has. An omitted dimension is 0, unless ' +
      '`path` names a file inside a multi-file acquisition: then it is the index of the first plane in that file.',
  },
);
export type Selection = Static<typeof Selection>;

export const ProjectionMethod = Type.Enum(['max', 'mean'], {
  type: 'string',
  description: '`max`: the largest sample at each place. `mean`: their mean, computed in float64.',
});

const Projection = Type.Object(
  { T: Type.Optional(ProjectionMethod), Z: Type.Optional(ProjectionMethod) },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    title: 'Projection',
    description:
      'Opens a projection along one dimension instead of a single plane. Samples that are not finite take part in nothing.',
    examples: [{ Z: 'max' }],
  },
);

const openOptions = {
  channelIndices: Type.Optional(ChannelIndices),
  selection: Type.Optional(Selection),
  projection: Type.Optional(Projection),
  calibration: Type.Optional(CalibrationOverride),
  interpret: Type.Optional(Interpretation),
  parts: Type.Optional(Parts),
  decode: Type.Optional(
    Type.Enum(['now', 'later', 'small'], {
      type: 'string',
      description:
        '`now` (default): answers when all requested planes are decoded. `later`: answers as soon as the file is described, ' +
        'and each plane is decoded when it is first read; a file with corrupted planes opens then. `small`: like `now` when ' +
        'a plane takes up to 256 MiB in the type of the file, otherwise like `later`.',
    }),
  ),
  ttlSeconds: Type.Optional(
    Type.Number({
      minimum: 1,
      description:
        'Life of the session in seconds, from its open or its last renewal; at most `--max-session-ttl`. ' +
        '`sessionTtlSeconds` of the capabilities when omitted.',
    }),
  ),
};

export const OpenRequest = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      description: 'Absolute path on the machine of the server. `~/` is the home folder of the user who runs it.',
    }),
    ...openOptions,
  },
  { ...closed, title: 'OpenRequest', description: 'What to open, and which part of it.' },
);
export type OpenRequest = Static<typeof OpenRequest>;

/** An extension with its dot. */
export const EXTENSION_PATTERN = '^\\.[^\\s/\\\\]+$';

export const PickAndOpenRequest = Type.Object(
  {
    ...openOptions,
    kind: Type.Optional(
      Type.Enum(['file', 'folder'], {
        type: 'string',
        description: 'What the user can choose; `file` when omitted. Some acquisitions are folders.',
      }),
    ),
    extensions: Type.Optional(
      Type.Array(Type.String({ pattern: EXTENSION_PATTERN, maxLength: 32 }), {
        maxItems: 256,
        description:
          'Extensions that the dialog offers, each with its dot; all allowed ones when omitted. Folders are not filtered.',
      }),
    ),
  },
  {
    ...closed,
    title: 'PickAndOpenRequest',
    description: 'What the dialog offers, and which part of the choice to open.',
  },
);
export type PickAndOpenRequest = Static<typeof PickAndOpenRequest>;

export const SceneSummary = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Index for `selection.S`.' }),
    name: Type.String({ description: 'Name of the scene in the file.' }),
    sizes: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'Size of each dimension of the scene: `C`, `Y`, `X`, and `T` and `Z` above 1.',
    }),
  },
  { ...closed, title: 'SceneSummary', description: 'One scene (position, series) of the file.' },
);
export type SceneSummary = Static<typeof SceneSummary>;

const Source = Type.Object(
  {
    path: Type.String({
      description:
        'Real absolute path that was opened. For a part of a multi-file acquisition, it is the main file or folder.',
    }),
    name: Type.String({ description: 'Last component of `path`.' }),
    format: Type.String({
      description: 'Canonical extension of the format without its dot, for example `oir`, `tif`, `ome.zarr`.',
    }),
    sourceDtype: SampleType,
    numChannels: Type.Integer({ minimum: 1, description: 'Channels in the file, also when fewer were loaded.' }),
    scenes: Type.Optional(
      Type.Array(SceneSummary, { description: 'Scenes to select from. Present when there are several.' }),
    ),
    revision: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description:
          'Identifies the state of all files that were read: their paths, sizes, times and inodes. Equal: the same files, ' +
          'unchanged.',
      }),
    ),
    instrument: Type.Optional(Instrument),
    recording: Type.Optional(Recording),
    metadata: Type.Optional(VendorMetadata),
  },
  { ...closed, title: 'Source', description: 'What was opened.' },
);

export const StepOrigin = Type.Enum([...STEP_ORIGINS], {
  type: 'string',
  description:
    '`file`: stated in the file. `sidecar`: in a file beside it. `derived`: computed, or given in the request. ' +
    '`default`: unknown; the step is 1.',
});
export type StepOrigin = Static<typeof StepOrigin>;

export const Header = Type.Object(
  {
    shape: Type.Array(Type.Integer({ minimum: 1 }), {
      description: 'Size of each dimension of the whole file, aligned with `dims`.',
    }),
    dims: Type.Array(Type.String(), {
      description:
        'Names of the dimensions. `C` (channels) is always first, `Y`, `X` (the plane) always last; between them `S` ' +
        '(scenes), `T` (time points) and `Z` (sections), each only when its size is above 1. In a line scan `Y` is time ' +
        '(one row per line) and `X` is the position along the line.',
    }),
    sizes: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'Size by name of the dimension: the same numbers as `shape`.',
    }),
    dtype: SampleType,
    numChannels: Type.Integer({ minimum: 1, description: 'Channels in the file: the size of `C`.' }),
    physicalUnits: Type.Array(Step, { description: 'Step of each dimension, aligned with `dims`.' }),
    physicalUnitsLabels: Type.Array(Unit, { description: 'Unit of each step, aligned with `dims`.' }),
    date: Type.String({ description: 'Date of the recording as `YYYYMMDD`, or empty when it is not known.' }),
    time: Type.String({
      description:
        'Time of the recording as `HH:MM:SS` (24 hours), by the clock of the recording computer, or empty when it is not known.',
    }),
    fileSize: Type.String({
      description:
        'Size on disk in decimal units, for example `4.8 MB`: the sum of all files of the acquisition, or empty when ' +
        'there are too many files to count. Show it; do not parse it.',
    }),
    calibration: Type.Array(StepOrigin, { description: 'Where each step came from, aligned with `dims`.' }),
    coordinates: Type.Optional(MeasuredAxes),
  },
  { ...closed, title: 'Header', description: 'Normalized metadata of the whole acquisition.' },
);
export type Header = Static<typeof Header>;

const Axis = Type.Object(
  {
    arrayDimension: Type.Integer({ minimum: 0, maximum: 1, description: '0: rows (`Y`), 1: columns (`X`).' }),
    name: Type.String({ description: 'Name of the dimension, `Y` or `X`.' }),
    size: Type.Integer({ minimum: 1, description: 'Samples along the axis.' }),
    step: Step,
    unit: Unit,
    label: Type.Optional(
      Type.String({
        description:
          'What the axis runs along, where `name` and `unit` do not say it: `z` for the rows of an x–z scan, which are depths. ' +
          'Absent otherwise.',
      }),
    ),
  },
  { ...closed, title: 'Axis', description: 'One axis of a plane.' },
);

export const Plane = Type.Object(
  {
    shape: Type.Array(Type.Integer({ minimum: 1 }), {
      minItems: 2,
      maxItems: 2,
      description: '`[rows, columns]` of each served plane. In a line scan a row is one line.',
    }),
    axes: Type.Array(Axis, { minItems: 2, maxItems: 2, description: 'The row axis, then the column axis.' }),
    ...BinaryDescription,
  },
  { ...closed, title: 'Plane', description: 'Shape and encoding of each served plane.' },
);
export type Plane = Static<typeof Plane>;

const Window = Type.Object(
  {
    start: Type.Number({ description: 'Sample value to show as black.' }),
    end: Type.Number({ description: 'Sample value to show at full brightness; above `start`.' }),
  },
  {
    ...closed,
    title: 'Window',
    description:
      'Display range of the channel, in sample values. Present when the file contains one. Samples are not scaled.',
  },
);

export const Channel = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Index of the channel in the file, counted from 0.' }),
    name: Type.String({ description: 'Channel or dye name of the file, else `CH1`, `CH2`, … Unique in the response.' }),
    byteLength: Type.Integer({ minimum: 0, description: 'Exact size of the plane in bytes: rows × columns × 4.' }),
    dataUrl: Type.String({ description: 'Address of the plane, relative to the server.' }),
    window: Type.Optional(Window),
    color: Type.Optional(
      Type.String({
        pattern: '^#[0-9A-F]{6}$',
        description:
          'Color that the file gives the channel, as `#RRGGBB`; red, green and blue for the samples of a color image. ' +
          'Absent when the file gives none.',
      }),
    ),
    role: Type.Optional(
      Type.Enum(['transmitted'], {
        type: 'string',
        description: '`transmitted` when the file says that the channel is a transmitted-light image.',
      }),
    ),
    ...channelOptics,
  },
  { ...closed, title: 'Channel', description: 'One channel and where to read it.' },
);
export type Channel = Static<typeof Channel>;

const ScanPath = Type.Object(
  {
    x: Type.Array(Type.Number(), { description: 'Columns of the vertices.' }),
    y: Type.Array(Type.Number(), { description: 'Rows of the vertices; as many as `x`.' }),
  },
  {
    ...closed,
    title: 'ScanPath',
    description: 'Vertices of the scanned path in order, in pixels of the reference plane.',
  },
);

export const Reference = Type.Object(
  {
    plane: Plane,
    channels: Type.Array(Channel, { description: 'Channels of the reference image, all of them.' }),
    lineRoi: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description:
        'Start and end of the scanned line as `[x0, y0, x1, y1]` in pixels of the reference plane: x along columns ' +
        '(array dimension 1), y along rows (array dimension 0). `null` when the file does not say where they are.',
      examples: [[40, 128, 472, 131.5]],
    }),
    scanPath: Type.Union([ScanPath, Type.Null()], {
      description:
        'Every vertex of the scanned path, straight or curved. Draw it instead of `lineRoi` when present. ' +
        '`null` when the file does not say where it is.',
      examples: [{ x: [40, 118.5, 255, 472], y: [128, 96.25, 141, 131.5] }],
    }),
  },
  { ...closed, title: 'Reference', description: 'The image on which the line of a line scan was drawn.' },
);
export type Reference = Static<typeof Reference>;

export const OpenResponse = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    sessionId: Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'Id of the new session. Knowing it is the permission to read its data, so keep it private.',
    }),
    source: Source,
    header: Header,
    plane: Plane,
    channels: Type.Array(Channel, { description: 'One entry per loaded channel, in the requested order.' }),
    reference: Type.Union([Reference, Type.Null()], {
      description:
        '`null` when the file has no reference image, or when it cannot be decoded; a warning then says why.',
    }),
    selection: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description:
          'Index in use by dimension (`S`, `T`, `Z`). Present when the file has dimensions to select from; without the one ' +
          'that is projected.',
      }),
    ),
    projection: Type.Optional(
      Type.Record(Type.String(), ProjectionMethod, {
        description: 'The projection of the request: the planes of the session are computed from all planes along it.',
      }),
    ),
    interpret: Type.Optional(InterpretationInUse),
    parts: Type.Optional(PartsInUse),
    zarr: Type.Optional(ZarrAddresses),
    warnings: Type.Array(Type.String(), {
      description:
        'What was assumed, ignored or inconsistent, one sentence each; often empty. Show them to the user: they say which ' +
        'numbers may be wrong.',
    }),
  },
  { ...closed, title: 'OpenResponse', description: 'The new session and what it contains.' },
);
export type OpenResponse = Static<typeof OpenResponse>;

/** An open response that has no session yet. */
export type OpenDescription = Omit<OpenResponse, 'sessionId' | 'channels' | 'reference'> & {
  channels: Omit<Channel, 'dataUrl'>[];
  reference: (Omit<Reference, 'channels'> & { channels: Omit<Channel, 'dataUrl'>[] }) | null;
};

export const Cancelled = Type.Object(
  {
    ok: Type.Literal(false, { description: '`false`, although the status is 200.' }),
    error: Type.Literal('cancelled', { description: 'The dialog was closed without a choice.' }),
    message: Type.String({ description: 'What happened, for people.' }),
    details: Type.Null({ description: 'Always `null`.' }),
  },
  { ...closed, title: 'Cancelled', description: 'Nothing was chosen. This is not a failure.' },
);
export type Cancelled = Static<typeof Cancelled>;
