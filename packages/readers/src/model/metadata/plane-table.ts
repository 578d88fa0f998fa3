/** One row for each plane of a scene: its indices, and what the file says of it. */
import { LIMITS } from '../../base/limits.js';
import type { Acquisition, PlaneColumns, ReadColumns, SceneInfo } from '../acquisition.js';

/** Columns of one length. Rows are in the order of T, then Z, then C. */
export interface PlaneTable extends PlaneColumns {
  T: Float64Array;
  Z: Float64Array;
  C: Float64Array;
  /** Seconds from the start of the recording to the time 0 of the table, where the file tells. */
  first?: number;
}

/** Rows of a table. */
export interface TablePart {
  from: number;
  count: number;
}

const MEASURED = ['time', 'exposure', 'x', 'y', 'z'] as const;

type Planes = Pick<SceneInfo, 'sizes' | 'channels' | 'coordinates'>;

/** Returns the number of planes of a scene. */
export function countPlanes({ sizes, channels }: Pick<SceneInfo, 'sizes' | 'channels'>): number {
  return sizes.T * sizes.Z * channels.length;
}

/**
 * Reads rows of the table of a scene, now.
 * @throws AcqError `decode_failed`
 */
export async function readPlaneTable(acquisition: Acquisition, scene: number, part: TablePart): Promise<PlaneTable> {
  const info = acquisition.info.scenes[scene];
  if (!info) throw new Error(`no scene ${scene}`);
  const isSmall = countPlanes(info) <= LIMITS.coordinates;
  const columns = isSmall ? await acquisition.readPlaneColumns?.(scene) : undefined;
  return toPlaneTable(info, columns ?? {}, part);
}

/**
 * Makes rows of the table of a scene. `time` counts from the first plane that has one. Without a column of the reader,
 * `time` and `z` are the coordinates of the axes. Columns without a value are left out.
 */
export function toPlaneTable(scene: Planes, columns: ReadColumns, { from, count }: TablePart): PlaneTable {
  const { sizes, channels, coordinates } = scene;
  const total = countPlanes(scene);
  const end = Math.min(total, from + count);
  const rows = <T extends number>(value: (row: number) => T) =>
    Float64Array.from({ length: Math.max(0, end - from) }, (_, i) => value(from + i));
  const zOf = (row: number) => Math.floor(row / channels.length) % sizes.Z;
  const tOf = (row: number) => Math.floor(row / (channels.length * sizes.Z));
  const table: PlaneTable = { T: rows(tOf), Z: rows(zOf), C: rows((row) => row % channels.length) };
  const axis = { time: [coordinates?.T, tOf], z: [coordinates?.Z, zOf] } as const;
  for (const name of MEASURED) {
    const column = columns[name];
    if (column?.length === total && column.some(Number.isFinite)) {
      const origin = name === 'time' ? column.find(Number.isFinite)! : 0;
      if (name === 'time' && columns.isFromStart) table.first = origin;
      table[name] = rows((row) => roundDifference(column[row]! - origin, origin));
      continue;
    }
    if (name !== 'time' && name !== 'z') continue;
    const [measured, index] = axis[name];
    if (!measured || measured.isLater) continue;
    table[name] = rows((row) => measured.values[index(row)]!);
    if (name === 'time' && measured.first !== undefined) table.first = measured.first;
  }
  return table;
}

/** Returns the values of an axis from the whole table of a scene: those of the first channel and section, or time point. */
export function axisOfTable({ time, z }: PlaneTable, { sizes, channels }: Planes, axis: 'T' | 'Z'): Float64Array {
  const [column, size, stride] =
    axis === 'T' ? [time, sizes.T, sizes.Z * channels.length] : [z, sizes.Z, channels.length];
  const values = Float64Array.from({ length: size }, (_, i) => column?.[i * stride] ?? Number.NaN);
  const origin = values.find(Number.isFinite) ?? 0;
  return values.map((value) => value - origin);
}

/** Returns the axes whose values an open did not wait for. */
export function laterAxes({ coordinates }: Pick<SceneInfo, 'coordinates'>): ('T' | 'Z')[] {
  return (['T', 'Z'] as const).filter((name) => coordinates?.[name]?.isLater);
}

/** Returns the scene with the values of `axes`, which are of `laterAxes`, from its whole table. */
export function withLaterAxes(scene: SceneInfo, axes: readonly ('T' | 'Z')[], table: PlaneTable): SceneInfo {
  const read = axes.map((name) => {
    const { isLater: _, ...measured } = scene.coordinates![name]!;
    return [name, { ...measured, values: axisOfTable(table, scene, name) }] as const;
  });
  return { ...scene, coordinates: { ...scene.coordinates, ...Object.fromEntries(read) } };
}

/** Digits after the point of a double at most. */
const MAX_DIGITS = 15;

/** Rounds a difference to the digits that its terms have: seconds since 1970 have 6, so 45 ms are not 45.00007629 ms. */
function roundDifference(difference: number, origin: number): number {
  const digits = Math.floor(MAX_DIGITS - Math.log10(Math.max(1, Math.abs(origin))));
  return digits >= MAX_DIGITS ? difference : Math.round(difference * 10 ** digits) / 10 ** digits;
}
