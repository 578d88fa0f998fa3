/** What is measured in planes. Loaded when it is first asked for. */
import type {
  OverviewChoice,
  PlaneArray,
  ProfileChoice,
  ProfileResponse,
  Statistics,
  StatisticsChoice,
  TracesChoice,
} from '@acquisition-store/client';
import type { AskedPlane } from '@acquisition-store/client/answers/describe.js';
import { overviewGrid } from '@acquisition-store/client/answers/overview.js';
import { checkLine, measuredProfile, toProfileArray } from '@acquisition-store/client/answers/profile.js';
import { statistics } from '@acquisition-store/client/answers/statistics.js';
import { countAlong, type Regions, toColumnRanges, toRegions } from '@acquisition-store/client/answers/traces.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import { overview } from '@acquisition-store/readers/derive/analysis/overview.js';
import { OverviewTarget } from '@acquisition-store/readers/derive/analysis/overview-target.js';
import { lineTraces, PlaneTraces, type TraceOptions } from '@acquisition-store/readers/derive/analysis/traces.js';
import { KernelHost } from '@acquisition-store/readers/simd/kernels.js';
import { inTurns } from './in-turns.ts';
import type { OpenSession } from './session-planes.ts';

/** Readers decode with another one. */
const host = new KernelHost();

export async function overviewOf(
  session: OpenSession,
  signal: AbortSignal,
  asked: AskedPlane,
  choice: OverviewChoice,
): Promise<PlaneArray> {
  const { images } = session;
  const grid = overviewGrid(choice, session.images.windowOf(asked, choice));
  const shape = [3, grid.height, grid.width];
  if (images.isFar(asked)) {
    const sampleType = images.typeOf(asked, 'native');
    const target = new OverviewTarget(images.shapeOf(asked), grid, { host, sampleType });
    await images.put(asked, target, signal);
    // Nothing when the rows of the file are not in order.
    const samples = target.finish();
    if (samples) return { shape, samples };
  }
  const data = await images.served(asked, signal);
  return { shape, samples: await inTurns(overview(data, grid.window, grid), signal) };
}

export async function statisticsOf(
  session: OpenSession,
  signal: AbortSignal,
  asked: AskedPlane,
  choice: StatisticsChoice,
): Promise<Statistics> {
  const { percentiles: percents = [], bins, range } = choice;
  const window = session.images.windowOf(asked, choice);
  const data = await session.images.served(asked, signal);
  return inTurns(statistics(data, window, { percents, bins, range }), signal);
}

export async function profileOf(
  session: OpenSession,
  signal: AbortSignal,
  asked: AskedPlane,
  choice: ProfileChoice,
): Promise<ProfileResponse> {
  const { length, spacing, unit, distance, rows, columns, values } = await line(session, signal, asked, choice);
  return {
    ok: true,
    apiVersion: API_VERSION,
    ...{ length, spacing, unit },
    ...{ distance: [...distance], rows: [...rows], columns: [...columns] },
    values: Array.from(values, (value) => (Number.isFinite(value) ? value : null)),
  };
}

export async function profileArrayOf(
  session: OpenSession,
  signal: AbortSignal,
  asked: AskedPlane,
  choice: ProfileChoice,
): Promise<Float64Array> {
  return toProfileArray(await line(session, signal, asked, choice));
}

async function line(session: OpenSession, signal: AbortSignal, asked: AskedPlane, choice: ProfileChoice) {
  const { points, width = 1 } = choice;
  checkLine(points, width);
  const data = await session.images.served(asked, signal);
  return inTurns(measuredProfile(data, { points, width, axes: session.info.plane.axes }), signal);
}

export async function tracesOf(
  session: OpenSession,
  signal: AbortSignal,
  asked: AskedPlane,
  { along, every = 1, statistic = 'mean', ...choice }: TracesChoice,
): Promise<PlaneArray> {
  const regions = choice.regions as unknown as Regions;
  const options = { every, statistic };
  const samples =
    along === 'Y'
      ? await alongRows(session, signal, asked, { regions, options })
      : await alongPlanes(session, signal, asked, { regions, options, along });
  return { shape: [regions.length, samples.length / regions.length], samples };
}

interface TraceOrder {
  regions: Regions;
  options: TraceOptions;
}

async function alongRows(session: OpenSession, signal: AbortSignal, asked: AskedPlane, order: TraceOrder) {
  const data = await session.images.served(asked, signal);
  return inTurns(lineTraces(data, toColumnRanges(order.regions, data), order.options), signal);
}

async function alongPlanes(
  { info, images }: OpenSession,
  signal: AbortSignal,
  asked: AskedPlane,
  { along, regions, options }: TraceOrder & { along: 'T' | 'Z' },
) {
  const count = countAlong(info, along);
  const traces = new PlaneTraces(toRegions(regions, info.plane), count, options);
  for (let i = 0; i < count; i++) {
    const place = along === 'T' ? { t: i } : { z: i };
    await inTurns(traces.add(await images.served({ ...asked, ...place }, signal)), signal);
  }
  return traces.values;
}
