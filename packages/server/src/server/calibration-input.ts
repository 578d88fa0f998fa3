/** The calibration of a request, with the range of its steps. */
import { CalibrationOverride, type StepOverride } from '@acquisition-store/client/contract/calibration.js';
import { closed } from '@acquisition-store/client/contract/common.js';
import { isUsableStep } from '@acquisition-store/readers/model/metadata/steps.js';
import { type TSchema, Type } from 'typebox';
import { STEP_FAULT } from './faults.js';

/** Checks the range of a positive step only: one that is not positive is a separate fault. */
const usableStep = <T extends TSchema>(schema: T) =>
  Type.Refine(
    schema,
    (value) => {
      const { step, unit } = value as StepOverride;
      return !Number.isFinite(step) || step <= 0 || isUsableStep(step, unit);
    },
    () => STEP_FAULT,
  );

const { T, Z, Y, X } = CalibrationOverride.properties;
export const calibration = Type.Optional(
  Type.Object(
    {
      T: Type.Optional(usableStep(T)),
      Z: Type.Optional(usableStep(Z)),
      Y: Type.Optional(usableStep(Y)),
      X: Type.Optional(usableStep(X)),
    },
    likeSchema(CalibrationOverride),
  ),
);

/** Returns what an object has beside its properties: its title and description, and that it has no others. */
export function likeSchema(schema: TSchema) {
  const { title, description } = schema as { title: string; description: string };
  return { ...closed, title, description };
}
