import type { PlaneAddress, PlaneColumns, SceneInfo } from '../acquisition.js';

/** What is known of one plane; fields that are missing, or are not finite, count as unknown. */
export type PlaneValues = { [Column in keyof PlaneColumns]?: number | undefined };

/**
 * Collects the columns of a scene plane by plane. Columns without any value are left out.
 * @param valuesAt is called once for channels that share their values
 * @param shared so many channels in a row have the values of their first one: the samples of a page, or all of a frame
 */
export function collectColumns(
  { sizes, channels }: { sizes: Pick<SceneInfo['sizes'], 'T' | 'Z'>; channels: { length: number } },
  valuesAt: (place: Omit<PlaneAddress, 'scene'>) => PlaneValues,
  shared = 1,
): PlaneColumns {
  const columns: PlaneColumns = {};
  const C = channels.length;
  const total = sizes.T * sizes.Z * C;
  for (let row = 0; row < total; row += shared) {
    const plane = Math.floor(row / C);
    const values = valuesAt({ t: Math.floor(plane / sizes.Z), z: plane % sizes.Z, channel: row % C });
    for (const name of Object.keys(values) as (keyof PlaneColumns)[]) {
      const value = values[name];
      if (value === undefined || !Number.isFinite(value)) continue;
      columns[name] ??= new Float64Array(total).fill(Number.NaN);
      columns[name].fill(value, row, row + shared);
    }
  }
  return columns;
}
