/** What the OME-Zarr of an opened acquisition needs in addition to its files: the user's steps, and display ranges. */
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { ZarrImage } from '@acquisition-store/readers/derive/zarr/images.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import { asServed } from '@acquisition-store/readers/model/calibration.js';
import type { OpenResponse } from '../contract/open.js';

/** Planes that cannot be decoded have no display range; the documents are served nevertheless. */
export const WITHOUT_RANGE: readonly ErrorCode[] = [
  'decode_failed',
  'unsupported_format',
  'companion_missing',
  'plane_too_large',
];

/** True when the file has the window of every channel. */
export function hasWindows({ channels }: ZarrImage): boolean {
  return channels.every(({ window }) => window !== undefined);
}

/** Gives the opened scene the steps of the open request, which replace what was measured and what was said of the steps. */
export function withSteps(
  info: AcquisitionInfo,
  { header, selection, warnings: said }: Pick<OpenResponse, 'header' | 'selection' | 'warnings'>,
): AcquisitionInfo {
  const index = selection?.['S'] ?? 0;
  const scene = info.scenes[index];
  if (!scene) return info;
  const steps = { ...scene.steps };
  for (const name of ['T', 'Z', 'Y', 'X'] as const) {
    const dim = header.dims.indexOf(name);
    const [step, unit] = [header.physicalUnits[dim], header.physicalUnitsLabels[dim]];
    if (step === undefined || unit === undefined) continue;
    steps[name] = { step, unit, origin: header.calibration?.[dim] ?? 'default' };
  }
  const warnings = scene.warnings.filter((warning) => said.includes(warning));
  return { ...info, scenes: info.scenes.with(index, { ...asServed(scene, header), steps, warnings }) };
}
