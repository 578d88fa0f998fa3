import { invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped, shorten } from '@acquisition-store/readers/base/wording.js';

/** Bytes of one name: the limit of common file systems. */
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 32;
/** Bytes of a path, which stays in memory as long as its upload. */
const MAX_PATH_BYTES = 1_024;

/**
 * Splits the relative path of an uploaded file into names, each of which is safe below the folder of its upload.
 * @param location of the path in the request
 * @throws AcqError `request_validation_failed`
 */
export function parseUploadPath(path: string, location: string[], platform = process.platform): string[] {
  const names = path.split('/');
  const problem =
    names.length > MAX_DEPTH
      ? `has more than ${MAX_DEPTH} folders`
      : Buffer.byteLength(path) > MAX_PATH_BYTES
        ? `has more than ${grouped(MAX_PATH_BYTES)} bytes`
        : names.map((name) => nameProblem(name, platform)).find((text) => text !== undefined);
  if (problem === undefined) return names;
  throw invalidRequest(
    location,
    `The name ${JSON.stringify(shorten(path, 100))} cannot be used: it ${problem}.`,
    'file_name',
  );
}

function nameProblem(name: string, platform: NodeJS.Platform): string | undefined {
  if (name === '') return 'has an empty part';
  if (name === '.' || name === '..') return 'leads to another folder';
  if (/[\0-\x1f\x7f\\]/.test(name)) return 'contains a backslash or a control character';
  if (/^[a-z]:/i.test(name)) return 'starts with a drive';
  if (/\p{Surrogate}/u.test(name)) return 'is not valid text';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `has a part of more than ${MAX_NAME_BYTES} bytes`;
  return platform === 'win32' ? windowsProblem(name) : undefined;
}

/** Windows opens devices by these names, and does not store the others as they are. */
function windowsProblem(name: string): string | undefined {
  if (/[<>:"|?*]/.test(name) || /[. ]$/.test(name)) return 'contains characters that Windows does not allow';
  return /^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i.test(name) ? 'is the name of a device' : undefined;
}
