import { codesByStatus, ERROR_MEANING } from '@acquisition-store/client/contract/error.js';
import type { ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { COMMON_ERRORS, type Documented } from './documented.js';
import { errorHeaders, headerRefs } from './headers.js';
import type { Json } from './json.js';
import type { SchemaBook } from './schema-book.js';

/** Names of the shared responses, which document statuses that have only common codes. */
const COMMON_NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  408: 'RequestTimeout',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' };

/** Returns `components.responses`: the errors of every operation. */
export function commonResponses(): Json {
  const byStatus = [...codesByStatus(COMMON_ERRORS)];
  return Object.fromEntries(byStatus.map(([status, codes]) => [COMMON_NAMES[status], errorResponse(status, codes)]));
}

/** Returns the responses of an operation by status. `examples` is by status and name. */
export function toResponses(operation: Documented, book: SchemaBook, examples: Json = {}): Json {
  const isHead = operation.method === 'HEAD';
  const responses: Json = {};
  for (const [status, success] of Object.entries(operation.success)) {
    const { description, headers, mediaType, schema, further = {} } = success;
    const shown = examplesAt(examples, status);
    // Examples are JSON.
    const bodies = Object.entries({ [mediaType]: schema, ...further }).map(([type, body]) => [
      type,
      { schema: book.response(body), ...(type === 'application/json' ? shown : {}) },
    ]);
    responses[status] = {
      description,
      headers: headerRefs(...headers),
      ...(isHead ? {} : { content: Object.fromEntries(bodies) }),
    };
  }
  for (const [status, codes] of codesByStatus(operation.errors)) {
    if (isHead) responses[status] = withoutBody(status, codes);
    else if (codes.every((code) => COMMON_ERRORS.includes(code))) {
      responses[status] = { $ref: `#/components/responses/${COMMON_NAMES[status]}` };
    } else responses[status] = errorResponse(status, codes, examplesAt(examples, String(status)));
  }
  return responses;
}

function errorResponse(status: number, codes: readonly ErrorCode[], examples: Json = {}): Json {
  const content = { 'application/json': { schema: ERROR_SCHEMA, ...examples } };
  return { ...withoutBody(status, codes), content };
}

function withoutBody(status: number, codes: readonly ErrorCode[]): Json {
  const meanings = codes.map((code) => `- \`${code}\`: ${ERROR_MEANING[code]}`);
  return { description: meanings.join('\n'), 'x-error-codes': [...codes], headers: errorHeaders(status) };
}

/** Returns the field `examples` of a media type; an empty object without examples. */
export function examplesAt(examples: Json | undefined, status: string): Json {
  const named = examples?.[status] as Record<string, Json> | undefined;
  if (named === undefined) return {};
  const entries = Object.entries(named).map(([name, value]) => [name, { value }]);
  return { examples: Object.fromEntries(entries) };
}
