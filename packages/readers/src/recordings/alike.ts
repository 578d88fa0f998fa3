/** Whether files are alike enough to be parts of one recording. */
import type { AcquisitionInfo, SceneInfo, Step } from '../model/acquisition.js';

/** Share by which steps may differ: texts have seven digits. */
const ROUNDING = 1e-5;

/** Returns what a file has that another one does not, for a message with both names around it; nothing for files that are alike. */
export function differenceOf(a: AcquisitionInfo, b: AcquisitionInfo): string | undefined {
  if (a.scenes.length !== b.scenes.length) return 'does not have as many scenes as';
  for (const [i, scene] of a.scenes.entries()) {
    const difference = sceneDifference(scene, b.scenes[i]!);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function sceneDifference(a: SceneInfo, b: SceneInfo): string | undefined {
  if (a.sizes.Y !== b.sizes.Y || a.sizes.X !== b.sizes.X) return 'has planes of another size than';
  if (a.sampleType !== b.sampleType) return 'has samples of another type than';
  if (a.channels.length !== b.channels.length) return 'does not have as many channels as';
  if (a.sizes.T !== b.sizes.T || a.sizes.Z !== b.sizes.Z) return 'does not have as many planes as';
  const axis = (['Y', 'X', 'Z'] as const).find((name) => !isSameStep(a.steps[name], b.steps[name]));
  return axis && `has another ${axis} step than`;
}

/** Returns a difference of the channels of two files with the same channels, as `differenceOf`. */
export function channelDifference(a: AcquisitionInfo, b: AcquisitionInfo): string | undefined {
  const names = ({ scenes }: AcquisitionInfo) => scenes.map(({ channels }) => channels.map(({ name }) => name));
  return JSON.stringify(names(a)) === JSON.stringify(names(b)) ? undefined : 'has other channels than';
}

function isSameStep(a: Step, b: Step): boolean {
  return a.unit === b.unit && Math.abs(a.step - b.step) <= ROUNDING * a.step;
}

/** False when both files have a date and a time, and the second was recorded before the first. */
export function isInTimeOrder(first: SceneInfo, second: SceneInfo): boolean {
  if (first.date === '' || second.date === '') return true;
  if (first.date !== second.date) return first.date < second.date;
  return first.time === '' || second.time === '' || first.time <= second.time;
}
