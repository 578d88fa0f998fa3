/**
 * The frozen API v1: its shapes as the last release of that version sent them. No field is ever added. Nothing else uses
 * these schemas, and these use none of v2.
 */
import { type Static, type TSchema, Type } from 'typebox';

const exact = { additionalProperties: false } as const;

/** Statuses of the error codes that v1 knows. */
export const V1_ERROR_STATUS = {
  path_not_found: 404,
  unsupported_format: 422,
  channel_out_of_range: 422,
  calibration_unavailable: 422,
  load_timeout: 504,
  decode_failed: 500,
  /** Not a failure: the user closed the dialog. */
  cancelled: 200,
  /** Reserved; never sent. */
  not_implemented: 501,
} as const;

export type V1ErrorCode = keyof typeof V1_ERROR_STATUS;

/** What a channel is for. The address of its plane has the role, not the index. */
export const V1_ROLES = ['calcium', 'vessels'] as const;
export type V1Role = (typeof V1_ROLES)[number];

const OK = Type.Literal(true);
const Count = Type.Integer({ minimum: 0 });
const Size = Type.Integer({ minimum: 1 });
const ENCODING = {
  encoding: Type.Literal('raw-f32-le', { description: 'Little-endian float32 samples without a header.' }),
  layout: Type.Literal('row-major'),
  height: Size,
  width: Size,
  byteLength: Type.Integer({ minimum: 4, description: '`height * width * 4`.' }),
};

export const V1Health = Type.Object(
  {
    ok: OK,
    app: Type.Literal('acqstore_server'),
    version: Type.String(),
    bind: Type.String({ description: 'Address and port that the server listens on.' }),
    docs: Type.Literal('/docs'),
    demo: Type.Literal('/demo/'),
    logFile: Nullable(
      Type.String(),
      'Log file of the server; only its name for callers that the server does not trust.',
    ),
  },
  { ...exact, title: 'Health' },
);
export type V1Health = Static<typeof V1Health>;

const Source = Type.Object(
  {
    path: Type.String({ description: 'Absolute path of the file.' }),
    format: Type.String({
      description: 'Last extension in lower case without its dot; `tif` for `.tiff`; `unknown` without one.',
    }),
    numChannels: Size,
    width: Size,
    height: Size,
    dtype: Type.Literal('float32'),
  },
  { ...exact, title: 'Source' },
);

const Calibration = Type.Object(
  {
    msPerLine: Type.Number({ description: '`stepYSeconds * 1000`, regardless of the unit in the file.' }),
    umPerPixel: Type.Number({ description: '`stepXUm`, regardless of the unit in the file.' }),
    stepYSeconds: Type.Number(),
    stepXUm: Type.Number(),
    unitsSource: Type.Literal('acqimage'),
    dim_0_step: Type.Number(),
    dim_1_step: Type.Number(),
    dim_0_units: Type.String({ description: 'Unit of the rows; `Pixels` without a calibration.' }),
    dim_1_units: Type.String({ description: 'Unit of the columns; `Pixels` without a calibration.' }),
  },
  { ...exact, title: 'Calibration' },
);

function channelOf(role: V1Role) {
  return Type.Object(
    {
      index: Count,
      name: Type.String({ description: '`CH` and the index counted from 1.' }),
      role: Type.Literal(role),
      ...ENCODING,
      url: Type.String({ description: 'Address of the plane.' }),
    },
    exact,
  );
}

const REFERENCE_STEPS = {
  dx: Type.Number({ description: 'Step from row to row.' }),
  dy: Type.Number({ description: 'Step from column to column.' }),
  xUnit: Type.String({ description: 'Unit of `dx`.' }),
  yUnit: Type.String({ description: 'Unit of `dy`.' }),
};

const Reference = Type.Object(
  {
    numChannels: Size,
    ...ENCODING,
    channels: Type.Array(Type.Object({ index: Count, ...ENCODING, url: Type.String(), ...REFERENCE_STEPS }, exact), {
      minItems: 1,
    }),
    lineRoi: Nullable(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), 'First and last point of the line.'),
    scanPath: Nullable(
      Type.Object({ x: Type.Array(Type.Number()), y: Type.Array(Type.Number()) }, exact),
      'Vertices of the scan path.',
    ),
    ...REFERENCE_STEPS,
  },
  { ...exact, title: 'Reference', description: 'Sizes and steps are those of channel 0.' },
);
export type V1Reference = Static<typeof Reference>;

export const V1OpenSuccess = Type.Object(
  {
    ok: OK,
    sessionId: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    source: Source,
    calibration: Calibration,
    channels: Type.Object(
      { calcium: channelOf('calcium'), vessels: Type.Optional(channelOf('vessels')) },
      { ...exact, description: '`vessels` is absent when one channel is loaded; it is never null.' },
    ),
    reference: Nullable(Reference, 'The image that the line was drawn on.'),
  },
  { ...exact, title: 'OpenSuccess' },
);
export type V1OpenSuccess = Static<typeof V1OpenSuccess>;

export const V1Cancelled = Type.Object(
  { ok: Type.Literal(false), error: Type.Literal('cancelled'), message: Type.String() },
  { ...exact, title: 'Cancelled', description: 'The user closed the dialog.' },
);

export const V1Error = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.String({ description: 'A code of v1, or of the checks of the server that v1 did not have.' }),
    message: Type.String(),
  },
  { ...exact, title: 'Error' },
);
export type V1Error = Static<typeof V1Error>;

/** Requests as v1 documented them. What it accepts beyond that is in `server/v1/request.ts`. */
const CHANNELS = {
  calciumChannel: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  vesselChannel: Type.Optional(Nullable(Type.Integer({ minimum: 0, default: 1 }), '`null` for one channel.')),
};

export const V1OpenRequest = Type.Object(
  { path: Type.String({ description: 'Path of a file; `~` is the home folder.' }), ...CHANNELS },
  { title: 'OpenRequest' },
);

export const V1PickRequest = Type.Object(
  { ...CHANNELS, extensions: Type.Optional(Type.Array(Type.String())) },
  { title: 'PickRequest' },
);

function Nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}
