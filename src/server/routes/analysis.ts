/** Windows and analysis of planes: what needs every sample and answers with few numbers. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { histogram } from '../../analysis/histogram.js';
import { Lanes } from '../../analysis/lanes.js';
import { moments } from '../../analysis/moments.js';
import { type OverviewGrid, overview, usesBlocks } from '../../analysis/overview.js';
import { percentiles } from '../../analysis/percentiles.js';
import { lengthOf, placesAlong, profile, type Vertex } from '../../analysis/profile.js';
import { blockPlaneRows, reduceToBlocks } from '../../analysis/row-blocks.js';
import { inSlices } from '../../analysis/slices.js';
import type { Window } from '../../analysis/window.js';
import {
  ANALYSIS_LIMITS,
  OverviewQuery,
  ProfileRequest,
  ProfileResponse,
  Statistics,
  StatisticsQuery,
  TracesRequest,
  WindowQuery,
} from '../../contract/analysis.js';
import { API_VERSION } from '../../contract/common.js';
import { ChannelParams, PlaneQuery } from '../../contract/session.js';
import { AcqError, type ErrorCode } from '../../errors.js';
import { copyGrid, type Grid, viewRows } from '../../planes/rectangle.js';
import { type PlaneData, planeByteLength, slicePlane } from '../../samples/plane-data.js';
import type { NativePlane, Reduction, SessionPlane } from '../../sessions/types.js';
import { grouped } from '../../wording.js';
import { invalid, readNumbers, readWindow } from '../analysis-input.js';
import { sendArray, startArray } from '../array-body.js';
import { clientSignal, untilStopped } from '../client-signal.js';
import type { AppDependencies } from '../dependencies.js';
import { arrayOperation, operation } from '../operation.js';
import { type Compute, traceLines, tracePlanes } from '../traces.js';
import type { App } from '../types.js';
import {
  ADDRESS_ERRORS,
  PLACE_ERRORS,
  pinNative,
  pinPlane,
  READ_ERRORS,
  releaseWhenSent,
  toBody,
  toSessionPlane,
} from './data.js';

const CHANNEL = '/api/v2/sessions/:sessionId/channels/:channelIndex';
const ERRORS: readonly ErrorCode[] = [
  ...ADDRESS_ERRORS,
  'channel_not_found',
  ...PLACE_ERRORS,
  'region_out_of_range',
  ...READ_ERRORS,
];
/** What all operations have in common. */
const PARTS = { tag: 'Analysis', params: ChannelParams, errors: ERRORS };
const DEFAULT_CELLS = 1024;
/** Samples of a window that are copied at a time. */
const PIECE_SAMPLES = 65_536;
const OK = { ok: true, apiVersion: API_VERSION } as const;

/** Computations that may run at a time, so that other requests are answered in between. */
const MAX_AT_ONCE = 2;

export function analysisRoutes(app: App, deps: AppDependencies): void {
  const lanes = new Lanes(MAX_AT_ONCE);
  const compute: Compute = (signal, computation) => lanes.run(signal, () => inSlices(computation, signal));
  windowRoute(app, deps);
  overviewRoute(app, deps, compute);
  statisticsRoute(app, deps, compute);
  profileRoute(app, deps);
  tracesRoute(app, deps, compute);
}

function windowRoute(app: App, deps: AppDependencies): void {
  const options = arrayOperation({
    ...PARTS,
    id: 'getWindow',
    summary: 'A part of a plane',
    description:
      'The samples themselves, as `[⌈rows/r⌉, ⌈columns/c⌉]`. Nothing is interpolated. With `type=native` they are in the ' +
      'type that `X-Array-Dtype` names.',
    query: WindowQuery,
  });
  app.get(`${CHANNEL}/window`, options, async ({ params, query }, reply) => {
    const address = toSessionPlane('channel', params, query);
    const { data, sampleType } = await (query.type === 'native'
      ? pinNative(deps, address, reply)
      : pinServed(deps, address, reply));
    const window = readWindow(query, data);
    const [rowStep, columnStep] = readNumbers('every', query.every ?? '1,1') as [number, number];
    const { firstRow, endRow, firstColumn, endColumn } = window;
    const rows = Math.ceil((endRow - firstRow) / rowStep);
    const columns = Math.ceil((endColumn - firstColumn) / columnStep);
    const head = startArray(reply, { shape: [rows, columns], as: query.as ?? 'raw', type: sampleType });
    const grid = { firstRow, rows, rowStep, firstColumn, columns, columnStep };
    const views = viewRows(data, grid, sampleType);
    if (views) return reply.send(toBody(head.length > 0 ? [head, ...views] : views));
    return reply.send(Readable.from(gridPieces({ data, sampleType }, grid, head), { objectMode: false }));
  });
}

async function pinServed(deps: AppDependencies, address: SessionPlane, reply: FastifyReply) {
  const data = await pinPlane(deps, address, reply);
  return { data, sampleType: data.sampleType };
}

/** Returns the blocks of a plane, which make overviews fast; `undefined` when memory has no room for them. */
async function pinBlocks(
  { sessions, stopping }: AppDependencies,
  address: SessionPlane,
  reply: FastifyReply,
  { compute, signal }: { compute: Compute; signal: AbortSignal },
): Promise<PlaneData | undefined> {
  const reduction: Reduction = {
    name: 'blocks',
    rows: blockPlaneRows,
    run: (data, put, stop) => compute(stop, reduceToBlocks(data, put)),
  };
  try {
    const blocks = await untilStopped(stopping, () => sessions.reducedPlane(address, reduction, signal));
    releaseWhenSent(blocks, reply);
    return blocks.data;
  } catch (error) {
    if (error instanceof AcqError && (error.code === 'capacity_exceeded' || error.code === 'plane_too_large'))
      return undefined;
    throw error;
  }
}

/** Yields the bytes of samples piece by piece, as fast as the client reads them. */
function* gridPieces(
  { data, sampleType }: Pick<NativePlane, 'data' | 'sampleType'>,
  grid: Grid,
  head: Buffer,
): Generator<Buffer> {
  if (head.length > 0) yield head;
  const rowsEach = Math.max(1, Math.floor(PIECE_SAMPLES / grid.columns));
  for (let row = 0; row < grid.rows; row += rowsEach) {
    const rows = Math.min(rowsEach, grid.rows - row);
    const { buffer } = copyGrid(data, { ...grid, firstRow: grid.firstRow + row * grid.rowStep, rows }, sampleType);
    yield Buffer.from(buffer);
  }
}

function overviewRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = arrayOperation({
    ...PARTS,
    id: 'getOverview',
    summary: 'Smallest, largest and mean sample of every cell of a grid over a plane',
    description:
      'An array `[3, height, width]`: minimum, maximum, mean. Every sample is in exactly one cell: cell i has the rows ' +
      'from ⌊i·rows/height⌋ to ⌊(i+1)·rows/height⌋ − 1 of the window, and columns likewise. Samples that are not finite ' +
      'are ignored; a cell without a finite sample is NaN.',
    query: OverviewQuery,
  });
  app.get(`${CHANNEL}/overview`, options, async ({ params, query }, reply) => {
    const address = toSessionPlane('channel', params, query);
    const window = readWindow(query, deps.sessions.planeShape(address));
    const height = Math.min(query.height ?? DEFAULT_CELLS, window.endRow - window.firstRow);
    const width = Math.min(query.width ?? DEFAULT_CELLS, window.endColumn - window.firstColumn);
    if (height * width > ANALYSIS_LIMITS.overviewCells) {
      throw new AcqError(
        'region_out_of_range',
        `${grouped(height)} × ${grouped(width)} cells are too many; height × width is at most ` +
          `${grouped(ANALYSIS_LIMITS.overviewCells)}.`,
      );
    }
    const signal = clientSignal(reply, deps.stopping);
    const grid = { window, height, width };
    const answer = { shape: [3, height, width], as: query.as ?? 'raw' };
    const far = await untilStopped(deps.stopping, () => deps.sessions.farOverview(address, grid, signal));
    if (!far) return sendArray(reply, await nearOverview(deps, address, reply, { grid, signal, compute }), answer);
    releaseWhenSent(far, reply);
    const head = startArray(reply, answer);
    const views = slicePlane(far.data, 0, planeByteLength(far.data));
    return reply.send(toBody(head.length > 0 ? [head, ...views] : views));
  });
}

/** Computes an overview from the plane in memory. */
async function nearOverview(
  deps: AppDependencies,
  address: SessionPlane,
  reply: FastifyReply,
  { grid, signal, compute }: { grid: OverviewGrid; signal: AbortSignal; compute: Compute },
): Promise<Float32Array<ArrayBuffer>> {
  const { window, height } = grid;
  const data = await pinPlane(deps, address, reply);
  const blocks = usesBlocks(window, height) ? await pinBlocks(deps, address, reply, { compute, signal }) : undefined;
  return compute(signal, overview(data, window, grid, blocks));
}

function statisticsRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = operation({
    ...PARTS,
    id: 'getStatistics',
    summary: 'Statistics of a plane or a part of it',
    description: 'Computed in float64 from every sample of the served plane.',
    query: StatisticsQuery,
    ok: Statistics,
    access: 'consent',
  });
  app.get(`${CHANNEL}/statistics`, options, async ({ params, query }, reply) => {
    const percents = readNumbers('percentiles', query.percentiles, {
      min: 0,
      max: 100,
      maxCount: ANALYSIS_LIMITS.percentiles,
    });
    const range = readRange(query);
    const data = await pinPlane(deps, toSessionPlane('channel', params, query), reply);
    const window = readWindow(query, data);
    const result = statistics(data, window, { percents, bins: query.bins, range });
    return compute(clientSignal(reply, deps.stopping), result);
  });
}

function readRange({ range, bins }: { range?: string; bins?: number }): [number, number] | undefined {
  if (range === undefined) return undefined;
  const [low, high] = readNumbers('range', range) as [number, number];
  if (bins === undefined) throw invalid('range', 'is for a histogram: send `bins` too', 'missing_bins');
  if (low <= high && Number.isFinite(high - low)) return [low, high];
  throw invalid('range', 'must have the lower edge first', 'out_of_order');
}

function* statistics(
  data: PlaneData,
  window: Window,
  { percents, bins, range }: { percents: number[]; bins: number | undefined; range: [number, number] | undefined },
): Generator<void, Statistics> {
  const { firstRow, endRow, firstColumn, endColumn } = window;
  const { min, max, mean, std, ...sums } = yield* moments(data, window);
  const values = percents.length === 0 ? [] : yield* percentiles(data, window, percents);
  const edges = range ?? (sums.finite > 0 ? ([min, max] as const) : undefined);
  return {
    ...OK,
    rows: [firstRow, endRow],
    columns: [firstColumn, endColumn],
    samples: (endRow - firstRow) * (endColumn - firstColumn),
    ...sums,
    min: finiteOrNull(min),
    max: finiteOrNull(max),
    mean: finiteOrNull(mean),
    std: finiteOrNull(std),
    percentiles: percents.map((percent, i) => ({ percent, value: finiteOrNull(values[i]!) })),
    histogram: bins === undefined || edges === undefined ? null : yield* histogram(data, window, bins, edges),
  };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function profileRoute(app: App, deps: AppDependencies): void {
  const options = operation({
    ...PARTS,
    id: 'getProfile',
    summary: 'Samples along a line through a plane',
    query: PlaneQuery,
    body: ProfileRequest,
    ok: ProfileResponse,
    access: 'consent',
  });
  app.post(`${CHANNEL}/profile`, options, async ({ params, query, body: { points, width = 1 } }, reply) => {
    const vertices = points as unknown as Vertex[];
    checkLine(vertices, width);
    const data = await pinPlane(deps, toSessionPlane('channel', params, query), reply);
    const { values, ...rest } = profile(data, vertices, width);
    const { axes } = deps.sessions.acquisition(params.sessionId).plane;
    return { ...OK, ...toDistances(rest, axes), ...rest, values: values.map(finiteOrNull) };
  });
}

function checkLine(points: readonly Vertex[], width: number): void {
  const length = lengthOf(points);
  const max = ANALYSIS_LIMITS.profileSamples;
  if (length > 0 && placesAlong(length) * width <= max) return;
  const problem =
    length > 0 ? `The line needs more than ${grouped(max)} samples` : 'All points of the line are the same';
  throw new AcqError(
    'region_out_of_range',
    `${problem}. A line has a length, and its length in pixels times \`width\` is at most ${grouped(max)}.`,
  );
}

/** Returns distances along the line in the unit of both axes; in pixels when they have different ones. */
function toDistances(
  { rows, columns, spacing }: { rows: number[]; columns: number[]; spacing: number },
  axes: readonly { step: number; unit: ProfileResponse['unit'] }[],
): Pick<ProfileResponse, 'unit' | 'distance'> {
  const [y, x] = axes;
  if (y!.unit !== x!.unit) return { unit: null, distance: rows.map((_, i) => i * spacing) };
  let sum = 0;
  const distance = rows.map((row, i) => {
    if (i > 0) sum += Math.hypot((row - rows[i - 1]!) * y!.step, (columns[i]! - columns[i - 1]!) * x!.step);
    return sum;
  });
  return { unit: y!.unit, distance };
}

function tracesRoute(app: App, deps: AppDependencies, compute: Compute): void {
  const options = arrayOperation({
    ...PARTS,
    id: 'getTraces',
    summary: 'Regions followed along the rows of a plane, the time points or the sections',
    description:
      'An array `[regions, ⌈n/every⌉]`. Samples that are not finite are ignored; a value without a finite sample is NaN. ' +
      'Along T or Z, every plane is decoded in turn, one at a time.',
    query: PlaneQuery,
    body: TracesRequest,
  });
  app.post(`${CHANNEL}/traces`, options, async ({ params, query, body }, reply) => {
    const address = toSessionPlane('channel', params, query);
    const { every = 1, statistic = 'mean', as = 'raw' } = body;
    const { regions, values } = await (body.along === 'Y'
      ? traceLines(deps, address, { regions: body.regions, every, statistic }, reply, compute)
      : tracePlanes(deps, address, { ...body, along: body.along, every, statistic }, reply, compute));
    return sendArray(reply, values, { shape: [regions, values.length / regions], as });
  });
}
