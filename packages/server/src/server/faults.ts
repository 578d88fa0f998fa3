/** Says what is wrong with a request. */
import type { StepOverride } from '@acquisition-store/client/contract/calibration.js';
import { EXTENSION_PATTERN } from '@acquisition-store/client/contract/open.js';
import { AcqError, type ValidationDetail } from '@acquisition-store/readers/base/errors.js';
import { grouped, oneOf, plural } from '@acquisition-store/readers/base/wording.js';
import { describeStepRange } from '@acquisition-store/readers/model/metadata/steps.js';
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { describePathMistake } from '../paths/path-mistakes.js';
import { pathLengthProblem } from '../paths/policy.js';

/** Types of faults whose text depends on the value. */
export const LENGTH_FAULT = 'string_too_long';
export const RELATIVE_FAULT = 'path_not_absolute';
export const STEP_FAULT = 'step_out_of_range';

/** One fault of a request. */
interface Fault {
  /** Stable kind; `details[].type`. */
  type: string;
  /** Where, inside the body, the address or the query; empty for the whole. */
  path: string[];
  limit?: number;
  pattern?: string;
  /** What is wrong, where `type` is not enough to say it. */
  text?: string;
  /** Valid values or fields. */
  allowed?: string[];
}

/** Says what is wrong and what would be valid: `` `path` must be absolute, for example /data/scan.oir ``. */
function describeFault(root: string, fault: Fault): string {
  const name = root === 'path' ? `${fieldName(fault.path)} in the address` : fieldName(fault.path);
  return `${name} ${rule(fault)}`;
}

/** Returns `` `channelIndices[0]` ``, or "The body" for the whole. */
function fieldName(path: readonly string[]): string {
  if (path.length === 0) return 'The body';
  const [first, ...rest] = path.map((part) => part.slice(0, 100));
  return `\`${first}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}\``;
}

function rule({ type, path, limit = 0, pattern, text, allowed = [] }: Fault): string {
  if (text !== undefined) return text;
  switch (type) {
    case 'missing':
      return path.length === 0 ? 'is missing. Send a JSON object' : 'is required';
    case 'extra_forbidden':
      return `is not a field of this request${allowed.length > 0 ? `. Valid fields: ${listed(allowed)}` : ''}`;
    case 'literal_error':
      return `must be ${oneOf(allowed.map((value) => `"${value}"`))}`;
    case 'string_too_short':
      return limit === 1 ? 'must not be empty' : `must have at least ${plural(limit, 'character')}`;
    case 'string_too_long':
      return `must have at most ${plural(limit, 'character')}`;
    case 'string_pattern_mismatch':
      return pattern === EXTENSION_PATTERN
        ? 'must start with a dot and have no spaces or slashes, for example ".tif"'
        : 'has an invalid format';
    case 'too_long':
      return `must have at most ${plural(limit, 'entry', 'entries')}`;
    case 'too_short':
      return `must have at least ${plural(limit, 'entry', 'entries')}`;
    case 'greater_than_equal':
      return `must be at least ${grouped(limit)}`;
    case 'less_than_equal':
      return `must be at most ${grouped(limit)}`;
    case 'greater_than':
      return `must be greater than ${limit}`;
    case 'path_nul':
      return 'must not contain a NUL character';
    case 'file_name':
      return 'must be the name of a file, without a folder';
    case 'path_not_absolute':
      return `must be absolute, for example ${EXAMPLE_PATH}`;
    default:
      return RULES[type] ?? 'is not valid';
  }
}

const EXAMPLE_PATH = process.platform === 'win32' ? 'C:\\data\\scan.oir' : '/data/scan.oir';

const RULES: Record<string, string> = {
  dict_type: 'must be a JSON object',
  list_type: 'must be a list',
  string_type: 'must be text',
  int_type: 'must be a whole number',
  int_from_float: 'must be a whole number, without a fraction',
  int_parsing: 'must be a whole number',
  float_type: 'must be a number',
  finite_number: 'must be a finite number',
  bool_type: 'must be true or false',
};

function listed(names: readonly string[]): string {
  return oneOf(names.map((name) => `\`${name}\``)).replace(/ or ([^ ]*)$/, ' and $1');
}

const PART_NAMES: Record<string, string> = { params: 'path', querystring: 'query' };

/**
 * Returns an error with the message of the first fault; `details` has all of them.
 * @param errors of the check of `value` against `schema`
 * @param httpPart where the value is from: `body`, `params` or `querystring`
 */
export function validationFailed(
  errors: TLocalizedValidationError[],
  value: unknown,
  schema: TSchema,
  httpPart: string,
): AcqError {
  const details = toDetails(errors, value, schema, httpPart);
  const more = details.length - 1;
  const rest = more > 0 ? ` (and ${plural(more, 'more problem')}, see \`details\`)` : '';
  return new AcqError('request_validation_failed', `${details[0]?.message ?? 'The request is not valid'}${rest}`, {
    details,
  });
}

function toDetails(
  errors: TLocalizedValidationError[],
  value: unknown,
  schema: TSchema,
  httpPart: string,
): ValidationDetail[] {
  const root = PART_NAMES[httpPart] ?? httpPart;
  return errors.flatMap((error) => {
    const path = pointerParts(error.instancePath);
    // Each extra field also has its own error.
    if (error.keyword === 'additionalProperties') return [];
    if (error.keyword === 'required') {
      return error.params.requiredProperties.map((name) => toDetail(root, { type: 'missing', path: [...path, name] }));
    }
    return [toDetail(root, toFault(error, path, valueAt(value, path), schema, httpPart))];
  });
}

function toDetail(root: string, fault: Fault): ValidationDetail {
  return { location: [root, ...fault.path], message: describeFault(root, fault), type: fault.type };
}

/** Returns the stable `type` of a fault and what its text needs. */
function toFault(
  error: TLocalizedValidationError,
  path: string[],
  value: unknown,
  schema: TSchema,
  httpPart: string,
): Fault {
  switch (error.keyword) {
    case 'type':
      return wrongType(String(error.params.type), path, value, httpPart);
    case 'boolean':
      return { type: 'extra_forbidden', path, allowed: fieldsAt(schema, path.slice(0, -1)) };
    case 'enum':
      return { type: 'literal_error', path, allowed: error.params.allowedValues.map(String) };
    case 'minLength':
      return { type: 'string_too_short', path, limit: Number(error.params.limit) };
    case 'maxLength':
      return { type: 'string_too_long', path, limit: Number(error.params.limit) };
    case 'pattern':
      return { type: 'string_pattern_mismatch', path, pattern: String(error.params.pattern) };
    case 'minItems':
      return { type: 'too_short', path, limit: Number(error.params.limit) };
    case 'minimum':
      return { type: 'greater_than_equal', path, limit: Number(error.params.limit) };
    case 'maximum':
      return { type: 'less_than_equal', path, limit: Number(error.params.limit) };
    case 'maxItems':
      return { type: 'too_long', path, limit: Number(error.params.limit) };
    case 'exclusiveMinimum':
      return { type: 'greater_than', path, limit: Number(error.params.limit) };
    case '~refine':
      return toRefinedFault(error.message, path, value);
    default:
      return { type: error.keyword, path };
  }
}

/** Converts the fault of a refinement in `validation.ts`, whose message is the type of the fault. */
function toRefinedFault(type: string, path: string[], value: unknown): Fault {
  if (type === STEP_FAULT) {
    const { unit } = value as StepOverride;
    return { type, path: [...path, 'step'], text: `must be ${describeStepRange(unit)}` };
  }
  const text = describePathFault(type, String(value));
  return text === undefined ? { type, path } : { type, path, text };
}

function describePathFault(type: string, path: string): string | undefined {
  if (type === LENGTH_FAULT) return pathLengthProblem(path, process.platform);
  return type === RELATIVE_FAULT ? describePathMistake(path, process.platform) : undefined;
}

function wrongType(type: string, path: string[], value: unknown, httpPart: string): Fault {
  if (path.length === 0) return { type: value === undefined ? 'missing' : 'dict_type', path };
  if (typeof value === 'number' && !Number.isFinite(value)) return { type: 'finite_number', path };
  if (type === 'integer') {
    if (httpPart !== 'body') return { type: 'int_parsing', path };
    if (typeof value === 'number') return { type: 'int_from_float', path };
  }
  return { type: `${TYPE_NAMES[type] ?? type}_type`, path };
}

const TYPE_NAMES: Record<string, string> = {
  integer: 'int',
  number: 'float',
  array: 'list',
  object: 'dict',
  boolean: 'bool',
};

/** Returns the names of the fields that the object at `path` may have. */
function fieldsAt(schema: TSchema, path: string[]): string[] {
  let at = schema as { properties?: Record<string, TSchema> };
  for (const name of path) at = (at.properties?.[name] ?? {}) as typeof at;
  return Object.keys(at.properties ?? {});
}

function pointerParts(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}
