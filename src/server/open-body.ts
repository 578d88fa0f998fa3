import { isAbsolute } from 'node:path';
import { Type } from 'typebox';
import { closed } from '../contract/common.js';
import { OpenRequest } from '../contract/open.js';

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

/** `OpenRequest`, with the rules for paths on this system: all faults of a body are found in one check. */
export const OpenBody = Type.Object(
  { ...OpenRequest.properties, path: AbsolutePath },
  { ...closed, title: 'OpenRequest', description: 'What to open, and which part of it.' },
);
