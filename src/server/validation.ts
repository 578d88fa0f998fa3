/** Strict validation of requests, check of responses: both by the contract's own schemas. */
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { AcqError, type ValidationDetail } from '../errors.js';

/**
 * Bodies are taken as they are; parts of the address are text and become integers where the schema wants integers.
 * A body that may be empty is `{}` when there is none.
 */
export const compileRequestCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = Compile(schema);
  const fields = schema as { required?: string[]; properties?: Record<string, { type?: string }> };
  const noBody = fields.required?.length ? undefined : {};
  return (received: unknown) => {
    const value = httpPart === 'body' ? (received ?? noBody) : withIntegers(received, fields.properties ?? {});
    if (check.Check(value)) return { value };
    return { error: validationFailed(toDetails(check.Errors(value), value, httpPart)) };
  };
};

/** A response that its schema does not describe is a mistake of the server: it is not sent. */
export const compileResponse: FastifySerializerCompiler<TSchema> = ({ schema, method, url }) => {
  const check = Compile(schema);
  return (value: unknown) => {
    if (check.Check(value)) return JSON.stringify(value);
    const found = check.Errors(value).map((error) => `${error.instancePath || '/'} ${error.message}`);
    throw new Error(`response of ${method} ${url} does not match its schema: ${found.join('; ')}`);
  };
};

export function validationFailed(details: ValidationDetail[]): AcqError {
  const [first] = details;
  const where = first?.location.join('.') ?? 'request';
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new AcqError('request_validation_failed', `${where}: ${first?.message ?? 'is not valid'}${more}`, { details });
}

function withIntegers(received: unknown, properties: Record<string, { type?: string }>): unknown {
  const out: Record<string, unknown> = { ...(received as Record<string, unknown>) };
  for (const [name, { type }] of Object.entries(properties)) {
    const text = out[name];
    if (type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)) out[name] = Number(text);
  }
  return out;
}

const PART_NAMES: Record<string, string> = { params: 'path', querystring: 'query' };

function toDetails(errors: TLocalizedValidationError[], value: unknown, httpPart = 'body'): ValidationDetail[] {
  const root = PART_NAMES[httpPart] ?? httpPart;
  const details: ValidationDetail[] = [];
  for (const error of errors) {
    const location = [root, ...pointerParts(error.instancePath)];
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) details.push(missing([...location, name]));
    } else if (error.keyword !== 'additionalProperties') {
      details.push(describe(error, location, valueAt(value, location.slice(1)), httpPart));
    }
  }
  return details;
}

function describe(
  error: TLocalizedValidationError,
  location: string[],
  value: unknown,
  httpPart: string,
): ValidationDetail {
  if (error.keyword === 'type') return wrongType(String(error.params.type), location, value, httpPart);
  const [type, message] = describeKeyword(error);
  return { location, message, type };
}

function describeKeyword(error: TLocalizedValidationError): [type: string, message: string] {
  switch (error.keyword) {
    case 'boolean':
      return ['extra_forbidden', 'Extra inputs are not permitted'];
    case 'enum':
      return ['literal_error', `Input should be one of ${error.params.allowedValues.join(', ')}`];
    case 'minLength':
      return ['string_too_short', `String should have at least ${error.params.limit} character`];
    case 'maxLength':
      return ['string_too_long', `String should have at most ${error.params.limit} characters`];
    case 'pattern':
      return ['string_pattern_mismatch', `String should match pattern ${error.params.pattern}`];
    case 'maxItems':
      return ['too_long', `List should have at most ${error.params.limit} items`];
    case 'exclusiveMinimum':
      return ['greater_than', `Input should be greater than ${error.params.limit}`];
    default:
      return [error.keyword, error.message];
  }
}

function wrongType(type: string, location: string[], value: unknown, httpPart: string): ValidationDetail {
  if (location.length === 1) {
    if (value === undefined) return missing(location);
    return { location, message: 'Input should be a JSON object', type: 'dict_type' };
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { location, message: 'Input should be a finite number', type: 'finite_number' };
  }
  const [kind, name] = TYPE_NAMES[type] ?? [type, type];
  if (type === 'integer') {
    if (httpPart !== 'body') return { location, message: 'Input should be an integer', type: 'int_parsing' };
    if (typeof value === 'number') {
      return { location, message: 'Input should be an integer without a fraction', type: 'int_from_float' };
    }
  }
  return { location, message: `Input should be a valid ${name}`, type: `${kind}_type` };
}

const TYPE_NAMES: Record<string, [kind: string, name: string]> = {
  string: ['string', 'string'],
  integer: ['int', 'integer'],
  number: ['float', 'number'],
  array: ['list', 'list'],
  object: ['dict', 'object'],
  boolean: ['bool', 'boolean'],
};

function missing(location: string[]): ValidationDetail {
  return { location, message: 'Field required', type: 'missing' };
}

function pointerParts(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}
