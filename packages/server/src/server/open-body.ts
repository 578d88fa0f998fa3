import { isAbsolute, join } from 'node:path';
import { CalibrationOverride, type StepOverride } from '@acquisition-store/client/contract/calibration.js';
import { closed } from '@acquisition-store/client/contract/common.js';
import { FolderListQuery, FolderQuery, LocateRequest } from '@acquisition-store/client/contract/files.js';
import { OpenRequest, PickAndOpenRequest } from '@acquisition-store/client/contract/open.js';
import { RecordingQuery } from '@acquisition-store/client/contract/recordings.js';
import { isUsableStep } from '@acquisition-store/readers/model/metadata/steps.js';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { checkPathLength, pathLengthProblem } from '../paths/policy.js';
import { homeFolder } from '../state-folder.js';

/** Types of faults whose text depends on the value; see `validation.ts`. */
export const LENGTH_FAULT = 'string_too_long';
export const RELATIVE_FAULT = 'path_not_absolute';
export const STEP_FAULT = 'step_out_of_range';

/** Adds the rules for paths on this system. The message of each is the `type` of its fault; see `validation.ts`. */
function usable<S extends TSchema>(path: S) {
  const withoutNul = Type.Refine(
    path,
    (value) => !String(value).includes('\0'),
    () => 'path_nul',
  );
  const absolute = Type.Refine(
    withoutNul,
    (value) => value === '' || isAbsolute(String(value)) || /^~[/\\]/.test(String(value)),
    () => RELATIVE_FAULT,
  );
  return Type.Refine(
    absolute,
    (value) => pathLengthProblem(String(value), process.platform) === undefined,
    () => LENGTH_FAULT,
  );
}
const UsablePath = usable(OpenRequest.properties.path);

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
const calibration = Type.Optional(
  withProperties(CalibrationOverride, {
    T: Type.Optional(usableStep(T)),
    Z: Type.Optional(usableStep(Z)),
    Y: Type.Optional(usableStep(Y)),
    X: Type.Optional(usableStep(X)),
  }),
);

/** `OpenRequest` with the rules for paths on this system, so that one check finds all faults of a body. */
export const OpenBody = withProperties(OpenRequest, { path: UsablePath, calibration });

/** `PickAndOpenRequest` with the same rules for steps. */
export const PickAndOpenBody = withProperties(PickAndOpenRequest, { calibration });

/** `FolderListQuery` with the rules for paths. */
export const FolderPath = Type.Object(
  { ...FolderListQuery.properties, path: Type.Optional(usable(FolderQuery.properties.path)) },
  closed,
);

/** `RecordingQuery` with the rules for paths. */
export const RecordingPath = withProperties(RecordingQuery, { path: usable(RecordingQuery.properties.path) });

const FileName = Type.Refine(
  LocateRequest.properties.name,
  (name) => !/[/\\\0]/.test(name) && name !== '.' && name !== '..',
  () => 'file_name',
);

/** `LocateRequest` for a name without a folder. */
export const LocateBody = withProperties(LocateRequest, { name: FileName });

/** Replaces `~/`. The result is absolute, because the schemas have checked the path. */
export function expandHome(path: string, home = homeFolder()): string {
  checkPathLength(path, process.platform);
  return /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}

const { path: _path, ...withoutPath } = OpenBody.properties;

/** `OpenRequest` without the path, for an upload. */
export const UploadOpenBody = Type.Object(withoutPath, {
  ...closed,
  title: 'UploadOpenRequest',
  description: 'Which part of the upload to open.',
});

/** Returns `schema` with some of its properties replaced; its title and description stay. */
function withProperties<P extends TProperties, Q extends TProperties>(schema: TObject<P>, replaced: Q) {
  const { title, description } = schema as TSchema as { title: string; description: string };
  return Type.Object({ ...schema.properties, ...replaced }, { ...closed, title, description });
}
