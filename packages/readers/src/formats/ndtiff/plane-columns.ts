import { LIMITS } from '../../base/limits.js';
import type { PlaneColumns } from '../../model/acquisition.js';
import { toNumber } from '../../model/metadata/micro-manager.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import { toUnit } from '../../model/metadata/units.js';
import { imageAt, type NdtiffScene } from './arrange.js';
import type { NdtiffFiles } from './files.js';
import { readOf } from './images.js';
import { planesInColumns } from './metadata.js';

/** Reads the columns of a scene from its images; nothing of a scene with too many to serve, or whose images are lines. */
export function readColumns(files: NdtiffFiles, scene: NdtiffScene): PlaneColumns {
  const [T, Z, C] = [scene.T.length, scene.Z.length, scene.C.length];
  const { samples } = scene.form;
  if ((planesInColumns(scene) ?? Infinity) > LIMITS.coordinates) return {};
  return collectColumns(
    { sizes: { T, Z }, channels: { length: C * samples } },
    ({ t, z, channel }) => {
      const entry = imageAt(scene, { channel: channel / samples, t, z });
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
