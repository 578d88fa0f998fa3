import type { PlaneAddress, Step } from '../acquisition.js';
import { cleanName } from '../metadata/names.js';
import type { Cut } from './cut.js';

/** Describes a plane in lines of text, for formats that have no fields for it. Names have one line each. */
export function describePlane({ info, sceneIndices }: Cut, address: PlaneAddress, file: string): string[] {
  const scene = info.scenes[address.scene]!;
  const { sizes, steps, date, time } = scene;
  const recorded = `${date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')} ${time}`.trim();
  const sceneText = `${sceneIndices[address.scene]} ${cleanName(scene.name)}`.trim();
  return [
    `file: ${cleanName(file)}`,
    ...(info.scenes.length > 1 || scene.name !== '' ? [`scene: ${sceneText}`] : []),
    `channel: ${cleanName(scene.channels[address.channel]?.name)}`,
    ...(recorded === '' ? [] : [`recorded: ${recorded}`]),
    `rows: ${sizes.Y}, step ${describeStep(steps.Y)}`,
    `columns: ${sizes.X}, step ${describeStep(steps.X)}`,
    `samples: ${scene.sampleType}`,
  ];
}

function describeStep({ step, unit, origin }: Step): string {
  return origin === 'default' ? 'unknown' : `${step} ${unit}`;
}
