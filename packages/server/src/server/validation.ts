/** Checks requests and responses strictly against the schemas of the contract. */

import type { StepOverride } from '@acquisition-store/client/contract/calibration.js';
import { AcqError, type ValidationDetail } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { describeStepRange } from '@acquisition-store/readers/model/metadata/steps.js';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { Value } from 'typebox/value';
import { describePathMistake } from '../paths/path-mistakes.js';
import { pathLengthProblem } from '../paths/policy.js';
import { describeFault, type Fault } from './fault-text.js';
import { hasLongList, toJsonBody, withFirstEntries } from './long-json.js';
import { LENGTH_FAULT, RELATIVE_FAULT, STEP_FAULT } from './open-body.js';

/** Max faults listed for one request; a body of 64 KiB can have more. The library's own limit is 8. */
const MAX_DETAILS = 1000;

/** Uses of a schema before it is compiled, which takes as long as some ten uses. */
const MAX_INTERPRETED = 3;

interface Check {
  Check(value: unknown): boolean;
  Errors(value: unknown): TLocalizedValidationError[];
}

/** The schemas of one app, each compiled when it is used again and again: most are of errors that never happen. */
export class SchemaChecks {
  /** Checks of what every client sends and receives. */
  private readonly likely: (() => Check)[] = [];

  /**
   * Compiles the checks that the first client needs, and runs them on examples of what they may be given. Yields after
   * each one, which takes some milliseconds.
   */
  *warmUp(examples: readonly unknown[]): Generator<void> {
    for (const compiled of this.likely) {
      const check = compiled();
      for (const example of examples) check.Check(example);
      yield;
    }
  }

  /**
   * Returns the check of a request. Bodies are not converted; parts of the address are text and become integers where
   * the schema has integers. A missing body is `{}` where all its fields are optional.
   */
  readonly request: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
    Settings.Set({ maxErrors: MAX_DETAILS });
    const compiled = this.onUse(schema, true);
    const fields = schema as { required?: string[]; properties?: Record<string, { type?: string }> };
    const noBody = fields.required?.length ? undefined : {};
    return (received: unknown) => {
      const check = compiled();
      const value = httpPart === 'body' ? (received ?? noBody) : withIntegers(received, fields.properties ?? {});
      if (check.Check(value)) return { value };
      const faults = toDetails(check.Errors(value), { value, schema, httpPart: httpPart ?? 'body' });
      return { error: validationFailed(faults) };
    };
  };

  /**
   * Returns the check of a response. One that does not match its schema is a bug of the server and is not sent. Of long
   * lists the first entries are checked.
   */
  readonly response: FastifySerializerCompiler<TSchema> = ({ schema, method, url, httpStatus }) => {
    const compiled = this.onUse(schema, httpStatus === '200');
    return (value: unknown) => {
      const check = compiled();
      const isLong = hasLongList(value);
      const checked = isLong ? withFirstEntries(value) : value;
      // The framework sends a stream like a text.
      if (check.Check(checked)) return isLong ? (toJsonBody(value) as string) : JSON.stringify(value);
      const faults = check.Errors(checked).map((error) => `${error.instancePath || '/'} ${error.message}`);
      throw new Error(`response of ${method} ${url} does not match its schema: ${faults.join('; ')}`);
    };
  };

  private onUse(schema: TSchema, isLikely: boolean): () => Check {
    let uses = 0;
    let check: Check | undefined;
    const compiled = () => {
      check ??= Compile(schema);
      return check;
    };
    if (isLikely) this.likely.push(compiled);
    const interpreted: Check = {
      Check: (value) => Value.Check(schema, value),
      Errors: (value) => Value.Errors(schema, value),
    };
    return () => (check || ++uses > MAX_INTERPRETED ? compiled() : interpreted);
  }
}

/** Returns an error with the message of the first fault; `details` has all of them. */
export function validationFailed(details: ValidationDetail[]): AcqError {
  const more = details.length - 1;
  const rest = more > 0 ? ` (and ${plural(more, 'more problem')}, see \`details\`)` : '';
  return new AcqError('request_validation_failed', `${details[0]?.message ?? 'The request is not valid'}${rest}`, {
    details,
  });
}

function withIntegers(received: unknown, properties: Record<string, { type?: string }>): unknown {
  const out: Record<string, unknown> = { ...(received as Record<string, unknown>) };
  for (const [name, { type }] of Object.entries(properties)) {
    const text = out[name];
    if (type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)) out[name] = Number(text);
  }
  return out;
}

/** What was checked, for the description of a fault. */
interface Checked {
  value: unknown;
  schema: TSchema;
  httpPart: string;
}

const PART_NAMES: Record<string, string> = { params: 'path', querystring: 'query' };

function toDetails(errors: TLocalizedValidationError[], { value, schema, httpPart }: Checked): ValidationDetail[] {
  const root = PART_NAMES[httpPart] ?? httpPart;
  return errors.flatMap((error) => {
    const path = pointerParts(error.instancePath);
    // Each extra field also has its own error.
    if (error.keyword === 'additionalProperties') return [];
    if (error.keyword === 'required') {
      return error.params.requiredProperties.map((name) => toDetail(root, { type: 'missing', path: [...path, name] }));
    }
    return [toDetail(root, toFault(error, path, { value: valueAt(value, path), schema, httpPart }))];
  });
}

function toDetail(root: string, fault: Fault): ValidationDetail {
  return { location: [root, ...fault.path], message: describeFault(root, fault), type: fault.type };
}

/** Returns the stable `type` of a fault and what its text needs. */
function toFault(error: TLocalizedValidationError, path: string[], { value, schema, httpPart }: Checked): Fault {
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

/** Converts the fault of a refinement in `open-body.ts`, whose message is the type of the fault. */
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
