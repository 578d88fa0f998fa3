/** Tools that measure and show planes. The server computes; planes do not leave it. */
import {
  ProfileRequest,
  type ProfileResponse,
  type Statistics,
  StatisticsQuery,
  TracesRequest,
} from '@acquisition-store/client/contract/analysis.js';
import { type Coordinates, CoordinatesQuery } from '@acquisition-store/client/contract/coordinates.js';
import { PlaneQuery } from '@acquisition-store/client/contract/session.js';
import { Type } from 'typebox';
import { DEFAULT_PIXELS, drawPicture, MAX_PIXELS, PICTURE_FIELDS } from './draw-picture.js';
import { DEFAULT_ENTRIES } from './results.js';
import { channelPath, defineTool, inputOf, OF_ACQUISITION, OF_CHANNEL, PAGE, type Tool } from './tool.js';

const statistics = defineTool({
  name: 'statistics',
  title: 'Statistics of a plane',
  description:
    'Smallest, largest and mean sample, standard deviation, percentiles and histogram of a plane or a part of it, computed from every sample.',
  input: inputOf({ ...OF_CHANNEL, ...StatisticsQuery.properties, ...PAGE }),
  async run({ acquisition, channelIndex, from = 0, count = DEFAULT_ENTRIES, ...query }, context) {
    const path = `${channelPath({ acquisition, channelIndex }, context)}/statistics`;
    const { ok, apiVersion, ...data } = await context.link.json<Statistics>(path, { query, signal: context.signal });
    return { data, page: { from, count } };
  },
});

const { points, width } = ProfileRequest.properties;

const profile = defineTool({
  name: 'profile',
  title: 'Samples along a line',
  description: 'Samples along a line through a plane, interpolated at each pixel of its length.',
  input: inputOf({ ...OF_CHANNEL, ...PlaneQuery.properties, points, width, ...PAGE }),
  async run({ acquisition, channelIndex, T, Z, from = 0, count = DEFAULT_ENTRIES, ...body }, context) {
    const path = `${channelPath({ acquisition, channelIndex }, context)}/profile`;
    const call = { method: 'POST', query: { T, Z }, body, signal: context.signal } as const;
    const { ok, apiVersion, ...data } = await context.link.json<ProfileResponse>(path, call);
    return { data, page: { from, count } };
  },
});

const { along, regions, every, statistic } = TracesRequest.properties;

const traces = defineTool({
  name: 'traces',
  title: 'Regions over time',
  description:
    'Follows regions along the rows of a plane (the lines of a line scan), the time points or the sections. `values` has one list ' +
    'for each region, `null` where no sample is finite. `every` makes the lists shorter.',
  input: inputOf({ ...OF_CHANNEL, ...PlaneQuery.properties, along, regions, every, statistic, ...PAGE }),
  async run({ acquisition, channelIndex, T, Z, from = 0, count = DEFAULT_ENTRIES, ...body }, context) {
    const path = `${channelPath({ acquisition, channelIndex }, context)}/traces`;
    const call = { method: 'POST', query: { T, Z }, body, signal: context.signal } as const;
    const { shape, values } = await context.link.floats(path, call);
    const [rows = 0, length = 0] = shape;
    // JSON writes values that are not numbers as `null`.
    const lists = Array.from({ length: rows }, (_, i) => values.subarray(i * length, (i + 1) * length));
    return { data: { length, values: lists }, page: { from, count } };
  },
});

const { axis } = CoordinatesQuery.properties;

const coordinates = defineTool({
  name: 'coordinates',
  title: 'Measured times and positions',
  description:
    'Measured times and positions of the axes that `header.coordinates` of an open acquisition lists. An axis that is not ' +
    'listed is known by its step alone. `total` is the number of values of an axis; `from` and `count` choose among them.',
  input: inputOf({ ...OF_ACQUISITION, axis, ...PAGE }),
  async run({ acquisition, axis, from = 0, count = DEFAULT_ENTRIES }, { link, acquisitions, signal }) {
    const { path, sizes } = acquisitions.find(acquisition);
    const query = { axis, from, count };
    const { start, axes } = await link.json<Coordinates>(`${path}/coordinates`, { query, signal });
    const counted = Object.entries(axes).map(([name, values]) => [name, { total: sizes[name] ?? 1, from, ...values }]);
    return { data: { start, axes: Object.fromEntries(counted) }, page: { from: 0, count } };
  },
});

const picture = defineTool({
  name: 'picture',
  title: 'Picture of a plane',
  description:
    'A grayscale PNG image of a plane or a part of it. A plane that is larger than the image is reduced: each pixel is then the mean, the ' +
    'largest or the smallest of several samples. For numbers use the other tools: contrast is for the eye.',
  input: inputOf({
    ...OF_CHANNEL,
    ...PICTURE_FIELDS,
    size: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: MAX_PIXELS,
        description: `Max width and height in pixels. ${DEFAULT_PIXELS} when omitted.`,
      }),
    ),
  }),
  async run({ size = DEFAULT_PIXELS, ...input }, context) {
    const { png, data } = await drawPicture(input, size, context);
    return { data, picture: png };
  },
});

export const DATA_TOOLS: readonly Tool[] = [statistics, profile, traces, coordinates, picture];
