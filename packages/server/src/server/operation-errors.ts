/** Codes that several operations may answer with, for their documentation. */
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';

/** Codes of everything that opens a file. */
const FILE_ERRORS: readonly ErrorCode[] = [
  'path_not_found',
  'path_not_allowed',
  'path_not_readable',
  'unsupported_format',
  'decode_failed',
  'companion_missing',
  'storage_unavailable',
];

/** Codes of everything that takes time and memory. */
const LIMIT_ERRORS: readonly ErrorCode[] = ['load_timeout', 'plane_too_large', 'capacity_exceeded'];

/** Codes of everything that follows after the path is known. */
export const OPEN_ERRORS: readonly ErrorCode[] = [
  'invalid_channel_indices',
  'channel_out_of_range',
  'selection_out_of_range',
  ...FILE_ERRORS,
  'session_store_unavailable',
  ...LIMIT_ERRORS,
];

/** Codes of everything that takes a session and a channel. */
export const ADDRESS_ERRORS: readonly ErrorCode[] = [
  'request_validation_failed',
  'channel_out_of_range',
  'session_not_found',
  'session_store_unavailable',
];

/** Codes of everything that takes a time point or section. */
export const PLACE_ERRORS: readonly ErrorCode[] = ['selection_out_of_range'];

/** Codes of everything that reads a plane. */
export const READ_ERRORS: readonly ErrorCode[] = ['source_changed', ...FILE_ERRORS, ...LIMIT_ERRORS];
