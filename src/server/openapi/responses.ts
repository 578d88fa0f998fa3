import { codesByStatus, ERROR_MEANING } from '../../contract/error.js';
import type { ErrorCode } from '../../errors.js';
import { COMMON_ERRORS, type Documented } from './documented.js';
import { errorHeaders, headersOf } from './headers.js';
import type { Json } from './json.js';
import type { SchemaBook } from './schema-book.js';

/** Statuses that have no other codes are documented once, under these names. */
const COMMON_NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  408: 'RequestTimeout',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' };

/** `components.responses`: what every operation can answer with. */
export function commonResponses(): Json {
  const byStatus = [...codesByStatus(COMMON_ERRORS)];
  return Object.fromEntries(byStatus.map(([status, codes]) => [COMMON_NAMES[status], errorResponse(status, codes)]));
}

/** The responses of an operation by status. `examples`: by status and name. */
export function responsesOf(operation: Documented, book: SchemaBook, examples: Json = {}): Json {
  const isHead = operation.method === 'HEAD';
  const responses: Json = {};
  for (const [status, success] of Object.entries(operation.success)) {
    const { description, headers, mediaType, schema } = success;
    const media = { schema: book.response(schema), ...examplesAt(examples, status) };
    responses[status] = {
      description,
      headers: headersOf(...headers),
      ...(isHead ? {} : { content: { [mediaType]: media } }),
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

/** `examples` of a media type; nothing when there are none. */
export function examplesAt(examples: Json | undefined, status: string): Json {
  const named = examples?.[status] as Record<string, Json> | undefined;
  if (named === undefined) return {};
  const entries = Object.entries(named).map(([name, value]) => [name, { value }]);
  return { examples: Object.fromEntries(entries) };
}
