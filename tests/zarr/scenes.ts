/** Acquisitions that exist only as metadata. */
import type { AcquisitionInfo, ReferenceInfo, SceneInfo, Step } from '../../packages/readers/src/model/acquisition.js';

const seconds = (step: number): Step => ({ step, unit: 'seconds', origin: 'file' });
export const micrometers = (step: number): Step => ({ step, unit: 'micrometer', origin: 'file' });

/** A line scan of 3,000 lines × 38 pixels, two channels. */
export function lineScan(over: Partial<SceneInfo> = {}): SceneInfo {
  return {
    name: 'vessel',
    sampleType: 'uint16',
    channels: [{ name: 'Fluo-4', window: { start: 10, end: 900 }, color: '#FF8000' }, { name: 'CH2' }],
    sizes: { T: 1, Z: 1, Y: 3_000, X: 38 },
    steps: {
      T: { step: 1, unit: 'Frames', origin: 'default' },
      Z: { step: 1, unit: 'Planes', origin: 'default' },
      Y: seconds(0.00117),
      X: micrometers(0.25),
    },
    date: '20260115',
    time: '10:30:00',
    reference: null,
    warnings: ['Only 3,000 of 5,000 lines were recorded.'],
    ...over,
  };
}

export const reference: ReferenceInfo = {
  sampleType: 'uint8',
  channels: [{ name: 'Overview' }],
  sizes: { Y: 40, X: 2_000 },
  steps: { Y: micrometers(0.5), X: micrometers(0.5) },
  lineRoi: [1, 2, 3, 4],
  scanPath: null,
};

export function acquisition(...scenes: SceneInfo[]): AcquisitionInfo {
  return { format: 'oir', scenes };
}
