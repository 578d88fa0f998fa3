import type { PlaneColumns } from '../../acquisition.js';
import { toNumber } from '../../metadata/micro-manager.js';
import type { NdtiffScene } from './arrange.js';
import type { NdtiffFiles } from './files.js';
import { readOf } from './images.js';
import { areLines } from './metadata.js';
import type { Json } from './parse.js';

/** Images whose metadata are read one by one for a table. */
const MAX_IMAGES = 20_000;

/** Values of an image, in seconds and µm. */
const FIELDS: Readonly<Record<keyof PlaneColumns, (image: Json) => number | undefined>> = {
  time: (image) => scaled(image['ElapsedTime-ms'], 1e-3),
  exposure: (image) => scaled(image['Exposure'], 1e-3),
  x: (image) => scaled(image['XPositionUm'] ?? image['XPosition_um_Intended'], 1),
  y: (image) => scaled(image['YPositionUm'] ?? image['YPosition_um_Intended'], 1),
  z: (image) => scaled(image['ZPositionUm'] ?? image['ZPosition_um_Intended'], 1),
};

function scaled(value: unknown, factor: number): number | undefined {
  const number = toNumber(value);
  return number === undefined ? undefined : number * factor;
}

/** Reads the columns of a scene from its images; nothing of a scene with too many, or whose images are lines. */
export function readColumns(files: NdtiffFiles, scene: NdtiffScene): PlaneColumns {
  const [T, Z, C] = [scene.T.length, scene.Z.length, scene.C.length];
  const { samples } = scene.form;
  if (T * Z * C > MAX_IMAGES || areLines(scene)) return {};
  const columns: PlaneColumns = {};
  for (let page = 0; page < T * Z * C; page++) {
    const [t, z, channel] = [Math.floor(page / C / Z), Math.floor(page / C) % Z, page % C];
    const entry = scene.images.at({ scene: 0, channel, t, z });
    const image = entry ? readOf(files, entry) : {};
    for (const name of Object.keys(FIELDS) as (keyof PlaneColumns)[]) {
      const value = FIELDS[name](image);
      if (value === undefined) continue;
      columns[name] ??= new Float64Array(T * Z * C * samples).fill(Number.NaN);
      columns[name].fill(value, page * samples, (page + 1) * samples);
    }
  }
  return columns;
}
