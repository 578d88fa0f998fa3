/** Draws a plane from its overview, which the server computes. */
import { type Statistics, WindowQuery } from '@acquisition-store/client/contract/analysis.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { type Static, Type } from 'typebox';
import { invalid } from '../../server/analysis-input.js';
import { toPng } from './png.js';
import { type Context, channelPath, inputOf, OF_CHANNEL } from './tool.js';

export const DEFAULT_PIXELS = 512;
/** Clients refuse images of more than a megabyte; one that does not compress has 0.9 MB as text. */
export const MAX_PIXELS = 800;

const { rows, columns, T, Z } = WindowQuery.properties;
/** The order of the planes of an overview. */
const STATISTICS = ['min', 'max', 'mean'] as const;

export const PICTURE_FIELDS = {
  rows,
  columns,
  T,
  Z,
  statistic: Type.Optional(
    Type.Enum([...STATISTICS], {
      type: 'string',
      description: 'What a pixel shows of several samples; `mean` when omitted.',
    }),
  ),
  low: Type.Optional(Type.Number({ description: 'Sample that becomes black. The 1st percentile when omitted.' })),
  high: Type.Optional(Type.Number({ description: 'Sample that becomes white. The 99th percentile when omitted.' })),
};
const PictureInput = inputOf({ ...OF_CHANNEL, ...PICTURE_FIELDS });

/**
 * Returns a PNG image of a plane, and what it shows.
 * @param maxPixels max width and height
 */
export async function drawPicture(
  { acquisition, channelIndex, statistic = 'mean', low, high, ...place }: Static<typeof PictureInput>,
  maxPixels: number,
  context: Context,
): Promise<{ png: Uint8Array; data: object }> {
  const { link, acquisitions, signal } = context;
  const path = channelPath({ acquisition, channelIndex }, context);
  const { shape } = acquisitions.find(acquisition);
  const [firstRow, endRow] = spanOf(place.rows, shape[0]);
  const [firstColumn, endColumn] = spanOf(place.columns, shape[1]);
  const black = await chooseContrast({ low, high }, `${path}/statistics`, place, context);
  const grid = { height: cellsOf(endRow - firstRow, maxPixels), width: cellsOf(endColumn - firstColumn, maxPixels) };
  const overview = await link.floats(`${path}/overview`, { query: { ...place, ...grid }, signal });
  const [, height = 0, width = 0] = overview.shape;
  const first = STATISTICS.indexOf(statistic) * height * width;
  const samples = overview.values.subarray(first, first + height * width);
  const each = `${grouped(Math.ceil((endRow - firstRow) / height))} × ${grouped(Math.ceil((endColumn - firstColumn) / width))}`;
  return {
    png: toPng({ width, height, samples, ...black }),
    data: {
      rows: [firstRow, endRow],
      columns: [firstColumn, endColumn],
      width,
      height,
      ...black,
      pixel: each === '1 × 1' ? 'one sample' : `${statistic} of up to ${each} samples (rows × columns)`,
    },
  };
}

async function chooseContrast(
  { low, high }: { low: number | undefined; high: number | undefined },
  path: string,
  place: object,
  { link, signal }: Context,
): Promise<{ low: number; high: number }> {
  if (low !== undefined && high !== undefined) {
    if (low < high) return { low, high };
    throw invalid('low', 'must be below `high`', 'out_of_order');
  }
  const query = { ...place, percentiles: '1,99' };
  const { percentiles } = await link.json<Statistics>(path, { query, signal });
  const black = low ?? percentiles[0]?.value ?? 0;
  const white = high ?? percentiles[1]?.value ?? 0;
  if (white > black) return { low: black, high: white };
  // Every sample is then white, or black, as those of a plane of equal samples.
  return high === undefined ? { low: black, high: black + 1 } : { low: white - 1, high: white };
}

/** Returns the span that the server will use; it refuses those outside the plane. */
export function spanOf(text: string | undefined, size: number): [first: number, end: number] {
  return text === undefined ? [0, size] : (text.split(':').map(Number) as [number, number]);
}

function cellsOf(samples: number, maxPixels: number): number {
  return Math.max(1, Math.min(samples, maxPixels));
}
