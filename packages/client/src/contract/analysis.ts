import { grouped } from '@acquisition-store/readers/base/wording.js';
import { type Static, Type } from 'typebox';
import { ApiVersion, closed, Ok, UnitOrNull } from './common.js';
import { PlaceFields, SampleForm } from './session.js';
import { ANALYSIS_LIMITS } from './values.js';

const SPAN = '^\\d{1,15}:\\d{1,15}$';
/** Every text matches in one way only, so that thousands of digits are not tried in millions of ways. */
const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?';

const Rows = Type.String({
  pattern: SPAN,
  description: 'Rows `first:end`, counted from 0, without `end`. All rows when omitted.',
  examples: ['0:5000'],
});
const Columns = Type.String({
  pattern: SPAN,
  description: 'Columns `first:end`, counted from 0, without `end`. All columns when omitted.',
  examples: ['100:200'],
});
const WindowFields = { rows: Type.Optional(Rows), columns: Type.Optional(Columns), ...PlaceFields };

const As = Type.Enum(['raw', 'npy'], {
  type: 'string',
  description: '`raw` (default): little-endian samples without a header. `npy`: the same in a NumPy file.',
});

export const WindowQuery = Type.Object(
  {
    ...WindowFields,
    every: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,14},[1-9]\\d{0,14}$',
        description:
          'Every r-th row and c-th column as `r,c`, starting with the first of the window. `1,1` when omitted.',
        examples: ['10,1'],
      }),
    ),
    type: Type.Optional(SampleForm),
    as: Type.Optional(As),
  },
  closed,
);

const CellCount = (name: string) =>
  Type.Integer({
    minimum: 1,
    maximum: ANALYSIS_LIMITS.overviewCells,
    description: `Number of ${name} of cells, at most the ${name} of the window. 1,024 when omitted.`,
  });

export const OverviewQuery = Type.Object(
  {
    ...WindowFields,
    height: Type.Optional(CellCount('rows')),
    width: Type.Optional(CellCount('columns')),
    as: Type.Optional(As),
  },
  closed,
);

export const StatisticsQuery = Type.Object(
  {
    ...WindowFields,
    percentiles: Type.Optional(
      Type.String({
        pattern: `^${NUMBER}(?:,${NUMBER})*$`,
        maxLength: 4096,
        description: 'Percentiles from 0 to 100, separated by commas; at most 100.',
        examples: ['1,50,99'],
      }),
    ),
    bins: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYSIS_LIMITS.bins,
        description: 'Number of bins of the histogram. There is no histogram when omitted.',
      }),
    ),
    range: Type.Optional(
      Type.String({
        pattern: `^${NUMBER},${NUMBER}$`,
        maxLength: 128,
        description:
          'First and last edge of the histogram as `low,high`. The smallest and largest sample when omitted.',
        examples: ['0,4095'],
      }),
    ),
  },
  closed,
);

const Span = (name: string) =>
  Type.Array(Type.Integer({ minimum: 0 }), {
    minItems: 2,
    maxItems: 2,
    description: `First of the ${name}, and the one after the last.`,
  });
const NumberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const Percentile = Type.Object(
  {
    percent: Type.Number({ description: 'As requested.' }),
    value: NumberOrNull('Exact, interpolated as `numpy.percentile` does. `null` when no sample is finite.'),
  },
  { ...closed, title: 'Percentile', description: 'One percentile of the finite samples.' },
);

const Histogram = Type.Object(
  {
    edges: Type.Array(Type.Number(), { description: 'Edges of the bins: one more than `counts`.' }),
    counts: Type.Array(Count('Samples of a bin.'), {
      description: 'Finite samples of each bin, which contains its lower edge, and the last bin also its upper one.',
    }),
    below: Count('Finite samples below the first edge.'),
    above: Count('Finite samples above the last edge.'),
  },
  { ...closed, title: 'Histogram', description: 'Counts of the finite samples, as `numpy.histogram` makes them.' },
);

export const Statistics = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    rows: Span('rows'),
    columns: Span('columns'),
    samples: Count('Samples of the window.'),
    finite: Count('Finite samples. All numbers below are computed from them.'),
    nan: Count('Samples that are not a number.'),
    posInf: Count('Samples that are +∞.'),
    negInf: Count('Samples that are −∞.'),
    min: NumberOrNull('Smallest sample. `null` when no sample is finite.'),
    max: NumberOrNull('Largest sample. `null` when no sample is finite.'),
    mean: NumberOrNull('Mean in float64. `null` when no sample is finite.'),
    std: NumberOrNull('Population standard deviation (`ddof` 0) in float64. `null` when no sample is finite.'),
    sum: Type.Number({ description: 'Sum in float64; 0 when no sample is finite.' }),
    percentiles: Type.Array(Percentile, { description: 'One entry for each requested percentile, in that order.' }),
    histogram: Type.Union([Histogram, Type.Null()], {
      description: '`null` when `bins` is omitted, or when no sample is finite and `range` is omitted.',
    }),
  },
  { ...closed, title: 'Statistics', description: 'Statistics of a window of a plane.' },
);
export type Statistics = Static<typeof Statistics>;

export const ProfileRequest = Type.Object(
  {
    points: Type.Array(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: '`[row, column]` in pixels; whole numbers are centers of pixels.',
      }),
      {
        minItems: 2,
        maxItems: ANALYSIS_LIMITS.profilePoints,
        description:
          'Vertices of the polyline, not all at one place. They may lie outside the plane. The line has at most ' +
          `${grouped(ANALYSIS_LIMITS.profilePlaces)} places, one for each pixel of its length and one more.`,
      },
    ),
    width: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYSIS_LIMITS.profileWidth,
        description:
          'Number of samples across the line, 1 pixel apart, that are averaged. 1 when omitted. Times the places along the ' +
          `line at most ${grouped(ANALYSIS_LIMITS.profileSamples)}.`,
      }),
    ),
    as: Type.Optional(
      Type.Enum(['json', 'raw', 'npy'], {
        type: 'string',
        description:
          '`json` (default): the object. `raw`: an array `[4, n]` of little-endian float64: distances, rows, columns and ' +
          'values, not a number (NaN) where JSON has `null`. `npy`: the same in a NumPy file.',
      }),
    ),
  },
  { ...closed, title: 'ProfileRequest', description: 'A line through the plane.' },
);

export const ProfileResponse = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    length: Type.Number({ description: 'Length of the line in pixels.' }),
    spacing: Type.Number({ description: 'Distance of neighboring samples along the line in pixels, at most 1.' }),
    unit: UnitOrNull('Unit of `distance`. `null` when the axes have different units: then it is in pixels.'),
    distance: Type.Array(Type.Number(), { description: 'Distance of each sample from the first point.' }),
    rows: Type.Array(Type.Number(), { description: 'Row of each sample, with fractions.' }),
    columns: Type.Array(Type.Number(), { description: 'Column of each sample, with fractions.' }),
    values: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
      description:
        'Samples, interpolated between the four pixels around each place. `null` outside the centers of the outermost ' +
        'pixels, and where a pixel is not finite.',
    }),
  },
  { ...closed, title: 'Profile', description: 'Samples along a line. All lists have one length.' },
);
export type ProfileResponse = Static<typeof ProfileResponse>;

const Region = Type.Object(
  {
    rows: Type.Optional(Span('rows')),
    columns: Type.Optional(Span('columns')),
    runs: Type.Optional(
      Type.Array(
        Type.Array(Type.Integer({ minimum: 0 }), {
          minItems: 3,
          maxItems: 3,
          description: 'The row, the first column, and the one after the last.',
        }),
        {
          minItems: 1,
          maxItems: ANALYSIS_LIMITS.runs,
          description:
            'Pixels of a region of any shape instead of `rows` and `columns`: runs from top to bottom and left to right, ' +
            'which do not overlap. Not along Y.',
          examples: [
            [
              [10, 4, 7],
              [11, 3, 8],
              [12, 4, 7],
            ],
          ],
        },
      ),
    ),
  },
  { ...closed, title: 'Region', description: 'A part of every plane; everything when a field is omitted.' },
);

export const TracesRequest = Type.Object(
  {
    along: Type.Enum(['Y', 'T', 'Z'], {
      type: 'string',
      description:
        '`Y`: along the rows, which are the lines of a line scan; regions have no `rows` then. `T`, `Z`: along the time ' +
        'points or sections.',
    }),
    regions: Type.Array(Region, {
      minItems: 1,
      maxItems: ANALYSIS_LIMITS.regions,
      description: 'Regions that are followed.',
    }),
    every: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Number of rows or planes that become one value. 1 when omitted.' }),
    ),
    statistic: Type.Optional(
      Type.Enum(['mean', 'min', 'max'], {
        type: 'string',
        description: 'What a value is of the finite samples; `mean` when omitted.',
      }),
    ),
    as: Type.Optional(As),
  },
  { ...closed, title: 'TracesRequest', description: 'Regions to follow.' },
);
