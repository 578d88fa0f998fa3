import { type Static, Type } from 'typebox';
import { closed } from './common.js';

export const StepOverride = Type.Object(
  {
    step: Type.Number({
      exclusiveMinimum: 0,
      description: 'Distance between neighbors, in `unit`: 1e-15 to 1e15, for `micrometer` 1e-6 to 1e15.',
    }),
    unit: Type.Enum(['seconds', 'micrometer', 'Pixels'], { type: 'string', description: 'Unit of the step.' }),
  },
  { ...closed, title: 'StepOverride', description: 'The step of one axis of the plane.' },
);
export type StepOverride = Static<typeof StepOverride>;

/** @param unit the only one that the axis can have */
const stackStep = (unit: 'seconds' | 'micrometer', title: string, description: string) =>
  Type.Object(
    {
      step: StepOverride.properties.step,
      unit: Type.Enum([unit], { type: 'string', description: 'Unit of the step.' }),
    },
    { ...closed, title, description },
  );

export const CalibrationOverride = Type.Object(
  {
    T: Type.Optional(stackStep('seconds', 'FrameInterval', 'The step from a time point to the next.')),
    Z: Type.Optional(stackStep('micrometer', 'SectionDistance', 'The step from a section to the next.')),
    Y: Type.Optional(StepOverride),
    X: Type.Optional(StepOverride),
  },
  {
    ...closed,
    title: 'CalibrationOverride',
    description:
      'Replaces steps, and the measured values of their axes, for a file where they are missing or wrong. Those of axes that ' +
      'the file does not have are ignored, with a warning.',
  },
);
export type CalibrationOverride = Static<typeof CalibrationOverride>;
