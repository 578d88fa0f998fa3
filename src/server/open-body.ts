import { isAbsolute } from 'node:path';
import { Type } from 'typebox';
import { closed } from '../contract/common.js';
import { OpenRequest, PickAndOpenRequest, StepOverride } from '../contract/open.js';
import { isUsableStep } from '../metadata/steps.js';
import { pathLengthProblem } from '../storage/path-policy.js';

/** Types of faults whose text depends on the value: see `validation.ts`. */
export const LENGTH_FAULT = 'string_too_long';
export const STEP_FAULT = 'step_out_of_range';

/** A refinement gives the `type` of its fault: see `validation.ts`. */
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

/** A step that is no positive number is a fault of its own. */
const UsableStep = Type.Refine(
  StepOverride,
  ({ step, unit }) => !Number.isFinite(step) || step <= 0 || isUsableStep(step, unit),
  () => STEP_FAULT,
);
const calibration = Type.Optional(
  Type.Object(
    { Y: Type.Optional(UsableStep), X: Type.Optional(UsableStep) },
    {
      ...closed,
      title: 'CalibrationOverride',
      description: 'Replaces steps of the plane, for a file that lacks them or has them wrong.',
    },
  ),
);

/** `OpenRequest`, with the rules for paths on this system: all faults of a body are found in one check. */
export const OpenBody = Type.Object(
  { ...OpenRequest.properties, path: UsablePath, calibration },
  { ...closed, title: 'OpenRequest', description: 'What to open, and which part of it.' },
);

/** `PickAndOpenRequest`, likewise. */
export const PickAndOpenBody = Type.Object(
  { ...PickAndOpenRequest.properties, calibration },
  { ...closed, title: 'PickAndOpenRequest', description: 'What the dialog offers, and which part is opened.' },
);
