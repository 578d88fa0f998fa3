import { isAbsolute } from 'node:path';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { closed } from '../contract/common.js';
import { CalibrationOverride, OpenRequest, PickAndOpenRequest, StepOverride } from '../contract/open.js';
import { isUsableStep } from '../metadata/steps.js';
import { pathLengthProblem } from '../paths/policy.js';

/** Types of faults whose text depends on the value; see `validation.ts`. */
export const LENGTH_FAULT = 'string_too_long';
export const STEP_FAULT = 'step_out_of_range';

/** The message of each refinement is the `type` of its fault; see `validation.ts`. */
const NoNul = Type.Refine(
  OpenRequest.properties.path,
  (path) => !path.includes('\0'),
  () => 'path_nul',
);
const AbsolutePath = Type.Refine(
  NoNul,
  (path) => path === '' || isAbsolute(path) || /^~[/\\]/.test(path),
  () => 'path_not_absolute',
);
const UsablePath = Type.Refine(
  AbsolutePath,
  (path) => pathLengthProblem(path, process.platform) === undefined,
  () => LENGTH_FAULT,
);

/** Checks the range of a positive step only: one that is not positive is a separate fault. */
const UsableStep = Type.Refine(
  StepOverride,
  ({ step, unit }) => !Number.isFinite(step) || step <= 0 || isUsableStep(step, unit),
  () => STEP_FAULT,
);

const calibration = Type.Optional(
  withProperties(CalibrationOverride, { Y: Type.Optional(UsableStep), X: Type.Optional(UsableStep) }),
);

/** `OpenRequest` with the rules for paths on this system, so that one check finds all faults of a body. */
export const OpenBody = withProperties(OpenRequest, { path: UsablePath, calibration });

/** `PickAndOpenRequest` with the same rules for steps. */
export const PickAndOpenBody = withProperties(PickAndOpenRequest, { calibration });

/** Returns `schema` with some of its properties replaced; its title and description stay. */
function withProperties<P extends TProperties, Q extends TProperties>(schema: TObject<P>, replaced: Q) {
  const { title, description } = schema as TSchema as { title: string; description: string };
  return Type.Object({ ...schema.properties, ...replaced }, { ...closed, title, description });
}
