import { describe, expect, it } from 'vitest';
import type { AcquisitionInfo, SceneInfo, Step } from '../../../packages/readers/src/model/acquisition.js';
import {
  defaultStep,
  describeStepRange,
  dropUnusableSteps,
  isUsableStep,
  noteImplausibleSteps,
} from '../../../packages/readers/src/model/metadata/steps.js';

const micrometers = (step: number): Step => ({ step, unit: 'micrometer', origin: 'file' });
const seconds = (step: number): Step => ({ step, unit: 'seconds', origin: 'file' });

/** What is done to a scene of 3 × 3 × 3 × 3 with some steps. */
function changed(
  work: (info: AcquisitionInfo) => void,
  steps: Partial<SceneInfo['steps']>,
  more: object = {},
): SceneInfo {
  const scene = {
    sizes: { T: 3, Z: 3, Y: 3, X: 3 },
    steps: { T: seconds(1), Z: micrometers(1), Y: micrometers(1), X: micrometers(1), ...steps },
    warnings: [] as string[],
    reference: null,
    ...more,
  } as unknown as SceneInfo;
  work({ scenes: [scene] } as unknown as AcquisitionInfo);
  return scene;
}

describe('a step that can be served', () => {
  it('is from 1 pm to a million kilometers, and from 1 fs to 30 million years', () => {
    const usable = (step: number, unit: Step['unit']) => isUsableStep(step, unit);
    expect([1e-6, 1e15].map((step) => usable(step, 'micrometer'))).toEqual([true, true]);
    expect([0.99e-6, 1.01e15, 0, -1, Number.NaN].some((step) => usable(step, 'micrometer'))).toBe(false);
    expect([1e-15, 1e15].map((step) => usable(step, 'seconds'))).toEqual([true, true]);
    expect([0.99e-15, 1.01e15].some((step) => usable(step, 'seconds'))).toBe(false);
    expect(describeStepRange('micrometer')).toBe('between 1e-6 and 1e15 for micrometer');
    expect(describeStepRange('seconds')).toBe('between 1e-15 and 1e15 for seconds');
  });

  it('replaces one that cannot, with a warning where the axis has one', () => {
    const bad = { T: seconds(0), Z: micrometers(-1), Y: micrometers(2), X: micrometers(1e-9) };
    const scene = changed(dropUnusableSteps, bad);
    expect(scene.steps).toEqual({
      ...{ T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: micrometers(2), X: defaultStep('Pixels') },
    });
    expect(scene.warnings).toEqual([
      'T step: 0 seconds is not a valid step; the axis is in Frames',
      'Z step: -1 micrometer is not a valid step; the axis is in Planes',
      'X step: 1e-9 micrometer is not a valid step; the axis is in Pixels',
    ]);
    expect(Object.keys(scene.axisWarnings ?? {})).toEqual(['T', 'Z', 'X']);
  });

  it('replaces that of a single section without a word, and says so of pixels and of a reference image', () => {
    const bad = { T: seconds(0), Z: micrometers(0), X: micrometers(0) };
    const sizes = { T: 1, Z: 1, Y: 1, X: 1 };
    const reference = { steps: { Y: micrometers(0), X: micrometers(3) } };
    const scene = changed(dropUnusableSteps, bad, { sizes, reference });
    expect(scene.steps.Z).toEqual(defaultStep('Planes'));
    expect(scene.reference?.steps).toEqual({ Y: defaultStep(), X: micrometers(3) });
    expect(scene.warnings).toEqual([
      'X step: 0 micrometer is not a valid step; the axis is in Pixels',
      'Y step of the reference image: 0 micrometer is not a valid step; the axis is in Pixels',
    ]);
  });
});

describe('a step that no light microscope has', () => {
  const warnings = (steps: Partial<SceneInfo['steps']>, more = {}) =>
    changed(noteImplausibleSteps, steps, more).warnings;
  const unusual = 'which is unusual for a light microscope. Check the calibration.';

  it('is one below 1 nm or above 1 cm, shown with four digits', () => {
    expect(warnings({ Y: micrometers(10_000), X: micrometers(1e-3) })).toEqual([]);
    expect(warnings({ Y: micrometers(12_345.6), X: micrometers(0.000_123_456) })).toEqual([
      `Y step: 12350 µm is above 1 cm, ${unusual}`,
      `X step: 0.0001235 µm is below 1 nm, ${unusual}`,
    ]);
  });

  it('is one below 1 µs or above a week', () => {
    expect(warnings({ T: seconds(604_800), Y: seconds(1e-6) })).toEqual([]);
    expect(warnings({ T: seconds(604_801), Y: seconds(0.9e-6) })).toEqual([
      `T step: 604800 s is above a week, ${unusual}`,
      `Y step: 9e-7 s is below 1 µs, ${unusual}`,
    ]);
  });

  it('is not looked for in axes of one place, in sections, or in steps that the file does not have', () => {
    expect(warnings({ X: micrometers(1e5) }, { sizes: { T: 3, Z: 3, Y: 3, X: 1 } })).toEqual([]);
    expect(warnings({ X: micrometers(1e5) }, { sizes: { T: 3, Z: 3, Y: 3, X: 2 } })).toHaveLength(1);
    expect(warnings({ Z: micrometers(1e5) })).toEqual([]);
    expect(warnings({ T: { ...defaultStep('Frames'), step: 1e9 } })).toEqual([]);
  });
});
