import type { PlaneColumns } from '../../acquisition.js';
import { toNumber } from '../../metadata/micro-manager.js';
import { collectColumns } from '../../metadata/plane-columns.js';
import { toUnit } from '../../metadata/units.js';
import type { NdtiffScene } from './arrange.js';
import type { NdtiffFiles } from './files.js';
import { readOf } from './images.js';
import { areLines } from './metadata.js';

/** Images whose metadata are read one by one for a table. */
const MAX_IMAGES = 20_000;

/** Reads the columns of a scene from its images; nothing of a scene with too many, or whose images are lines. */
export function readColumns(files: NdtiffFiles, scene: NdtiffScene): PlaneColumns {
  const [T, Z, C] = [scene.T.length, scene.Z.length, scene.C.length];
  const { samples } = scene.form;
  if (T * Z * C > MAX_IMAGES || areLines(scene)) return {};
  return collectColumns(
    { sizes: { T, Z }, channels: { length: C * samples } },
    ({ t, z, channel }) => {
      const entry = scene.images.at({ scene: 0, channel: channel / samples, t, z });
      const image = entry ? readOf(files, entry) : {};
      const position = (axis: string) => toNumber(image[`${axis}PositionUm`] ?? image[`${axis}Position_um_Intended`]);
      return {
        time: toUnit('seconds', toNumber(image['ElapsedTime-ms']), 'ms'),
        exposure: toUnit('seconds', toNumber(image['Exposure']), 'ms'),
        ...{ x: position('X'), y: position('Y'), z: position('Z') },
      };
    },
    samples,
  );
}
