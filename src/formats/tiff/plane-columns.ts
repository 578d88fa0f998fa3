import type { PlaneAddress, PlaneColumns, SceneInfo } from '../../acquisition.js';

/** What is known of one plane; fields that are missing count as unknown. */
export type PlaneValues = { [Column in keyof PlaneColumns]?: number | undefined };

/** Collects the columns of a scene plane by plane. Columns without any value are left out. */
export function collectColumns(
  { sizes, channels }: Pick<SceneInfo, 'sizes' | 'channels'>,
  scene: number,
  valuesAt: (address: PlaneAddress) => PlaneValues,
): PlaneColumns {
  const columns: PlaneColumns = {};
  const total = sizes.T * sizes.Z * channels.length;
  let row = 0;
  for (let t = 0; t < sizes.T; t++) {
    for (let z = 0; z < sizes.Z; z++) {
      for (let channel = 0; channel < channels.length; channel++, row++) {
        const values = valuesAt({ scene, channel, t, z });
        for (const name of Object.keys(values) as (keyof PlaneColumns)[]) {
          const value = values[name];
          if (value === undefined || !Number.isFinite(value)) continue;
          columns[name] ??= new Float64Array(total).fill(Number.NaN);
          columns[name][row] = value;
        }
      }
    }
  }
  return columns;
}
