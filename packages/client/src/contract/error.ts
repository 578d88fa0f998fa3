import { ERROR_STATUS, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { type Static, type TSchema, Type } from 'typebox';
import { closed } from './common.js';
import { ValidationDetail } from './validation-detail.js';

/** What each code means. The OpenAPI document and `docs/errors.md` show these texts. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  request_validation_failed:
    'The body is not JSON, a field is missing, unknown or has the wrong type, `path` is not absolute, or a part of the address is not valid. `details` lists every fault.',
  invalid_channel_indices: '`channelIndices` is empty, has duplicates, or has a negative index.',
  channel_out_of_range: 'A channel index is not below the number of channels, or is negative in a data address.',
  selection_out_of_range: '`selection` names a dimension that the file does not have, or an index outside it.',
  path_not_found: 'There is no file or folder at the path.',
  path_not_allowed:
    'The path is outside every `--root`, or it is neither a regular file nor a folder that can be an acquisition.',
  path_not_readable: 'The file exists, but the server may not read it.',
  unsupported_format:
    'No reader: the extension is unknown or not allowed, the content is not of a known format, or the file uses a variant that is not supported. The message names it.',
  decode_failed: 'The file is corrupted, truncated or inconsistent. The message says what is wrong and where.',
  companion_missing:
    'A file that the acquisition needs, such as a part of a set, is missing. The message names it and the folder it should be in.',
  storage_unavailable:
    'The drive, share or mount that the file is on does not answer. Files elsewhere still open. `Retry-After` says when to try again.',
  session_store_unavailable:
    'The store that instances of the server share does not answer. Sessions are not lost. `Retry-After` says when to try again.',
  load_timeout: 'Opening took longer than `--open-timeout` and was stopped.',
  plane_too_large:
    'One plane would be larger than `--max-plane-bytes` or has more than 2,147,483,648 pixels, or the planes together are ' +
    'larger than `--memory-budget`.',
  region_out_of_range:
    'A part of a plane is empty, outside the plane, or larger than the operation allows. The message says what is allowed.',
  capacity_exceeded:
    'There is no room for another connection, session, plane, answer, open or computation, or the server is stopping. `Retry-After` says when to try again.',
  session_not_found: 'The session expired, was deleted or ended to make room for others, or never existed.',
  session_ended:
    'The same, under an OME-Zarr address: readers would take 404 for a missing chunk, which is zeros. Open the file again.',
  channel_not_found: 'The session does not contain this channel.',
  reference_channel_not_found: 'The session has no such reference channel.',
  cancelled: 'The file dialog was closed without a choice. The status is 200: this is not a failure.',
  picker_unavailable: 'This computer has no display or no program for file dialogs. The message says what to install.',
  picker_busy:
    'Another file dialog is open, or a page without an origin must wait because the last dialog ended without a choice. `Retry-After` says when to try again.',
  source_changed: 'The file changed since it was opened, and its planes must be read again. Open it again.',
  upload_not_found: 'The upload was deleted, has expired, or its session has ended. Send the files again.',
  upload_too_large:
    'The files are larger than announced, than `--upload-budget` or than the disk has room for, or the server takes no uploads.',
  upload_incomplete: 'Some bytes of the upload have not arrived, or no file has the name that is to be opened.',
  host_not_allowed: 'The `Host` header is not an address of this server (`--allow-host`).',
  origin_not_allowed: 'The page may not send this request (`--allow-origin`, `--allow-file-pages`).',
  unauthorized: 'The token is missing, wrong or expired.',
  not_found: 'There is nothing at this address.',
  method_not_allowed: 'The address exists, but not for this method. `Allow` lists the methods that it has.',
  payload_too_large: 'The body is larger than 64 KiB.',
  unsupported_media_type: 'The body is not `application/json` in UTF-8, or it is compressed.',
  range_not_satisfiable: 'The `Range` is outside the plane. `Content-Range` gives the length of the plane.',
  malformed_request:
    'The request is not valid HTTP, its headers are larger than 16 KiB, or its body is shorter than announced.',
  request_timeout: 'The request did not arrive in time.',
  internal_error: 'The server failed unexpectedly. Its log has the cause under the request id.',
};

const OK = Type.Literal(false, { description: '`false` for every error.' });
const Message = Type.String({
  description: 'For the user: what is wrong, where, and what to do about it. Do not parse it; it may change.',
});
const Details = Type.Union([Type.Array(ValidationDetail), Type.Null()], {
  description: 'Every fault of the request when `error` is `request_validation_failed`, else `null`.',
});

function envelope(codes: readonly ErrorCode[]) {
  const error = Type.Enum([...codes], { type: 'string' });
  return Type.Object({ ok: OK, error, message: Message, details: Details }, { ...closed, title: 'Error' });
}

/** The body of every answer that is not a success. */
export const ErrorEnvelope = envelope(Object.keys(ERROR_STATUS) as ErrorCode[]);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;

/**
 * The error envelope in the OpenAPI document. Its list of codes is open, so that clients generated today accept codes
 * that are added later.
 */
export const PublishedError = Type.Object(
  {
    ok: OK,
    error: Type.String({
      description:
        'Stable code; branch on it, never on `message`. Codes may be added: treat an unknown one by the HTTP status.',
      'x-extensible-enum': Object.keys(ERROR_STATUS),
      'x-enumDescriptions': ERROR_MEANING,
      'x-error-status': ERROR_STATUS,
    }),
    message: Message,
    details: Details,
  },
  { ...closed, title: 'Error', description: 'The body of every answer that is not a success.' },
);

/** Groups codes by their status. */
export function codesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const status = ERROR_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** Returns the schemas of the error responses of an operation by status. Each allows only the codes of that status. */
export function errorResponses(codes: readonly ErrorCode[]): Record<number, TSchema> {
  return Object.fromEntries([...codesByStatus(codes)].map(([status, matching]) => [status, envelope(matching)]));
}
