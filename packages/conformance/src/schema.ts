/** Checks answers by the schemas that this server validates its own answers with. */
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { ensure } from './failure.js';

/** Fields that this project added to the objects of the contract, by the title of the object. */
const ADDED: Record<string, readonly string[]> = {
  OpenResponse: ['warnings'],
  Header: ['calibration'],
  Capabilities: ['formats', 'opening'],
};
/** Rules about values that the contract does not have: it says "string" and "number". */
const ADDED_RULES = ['pattern', 'enum', 'exclusiveMinimum'];

/** Max faults of an answer in a message. */
const MAX_FAULTS = 4;

/** A validator for each schema; compiling one takes some milliseconds. */
class Validators {
  private readonly compiled = new Map<TSchema, Validator>();
  private readonly prepare: (schema: TSchema) => TSchema;

  constructor(prepare: (schema: TSchema) => TSchema) {
    this.prepare = prepare;
  }

  check(schema: TSchema, value: unknown, what: string): void {
    let validator = this.compiled.get(schema);
    if (!validator) {
      validator = Compile(this.prepare(schema));
      this.compiled.set(schema, validator);
    }
    if (validator.Check(value)) return;
    const faults = validator
      .Errors(value)
      .map((error) => `${error.message}${error.instancePath && ` (${error.instancePath})`}`);
    const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : '';
    ensure(false, `${what} is not as described: ${faults.slice(0, MAX_FAULTS).join('; ')}${more}`);
  }
}

const closed = new Validators((schema) => schema);
const open = new Validators((schema) => without(schema, ['additionalProperties']));
const contract = new Validators((schema) => without(schema, ['additionalProperties', ...ADDED_RULES], ADDED));

/** Fails unless the value has every field of the contract. Further fields are allowed. */
export function matchesContract<T extends TSchema>(
  schema: T,
  value: unknown,
  what: string,
): asserts value is Static<T> {
  contract.check(schema, value, what);
}

/** Fails unless the value matches the schema, additions included. Further fields are allowed. */
export function matches<T extends TSchema>(schema: T, value: unknown, what: string): asserts value is Static<T> {
  open.check(schema, value, what);
}

/** Fails unless the value matches the schema and has no other fields. */
export function matchesExactly<T extends TSchema>(schema: T, value: unknown, what: string): asserts value is Static<T> {
  closed.check(schema, value, what);
}

/** Returns a copy of a schema without some rules, and with fields that may be missing. */
function without(schema: TSchema, rules: readonly string[], optional: Record<string, readonly string[]> = {}): TSchema {
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy);
    if (node === null || typeof node !== 'object') return node;
    const kept = Object.entries(node).filter(([name]) => !rules.includes(name));
    const result = Object.fromEntries(kept.map(([name, value]) => [name, copy(value)]));
    const { title, required } = result as { title?: string; required?: string[] };
    const skipped = optional[title ?? ''];
    if (skipped && required) result['required'] = required.filter((name) => !skipped.includes(name));
    return result;
  };
  // Through JSON: the schema is then plain JSON Schema, without marks that only the builder of the library knows.
  return copy(JSON.parse(JSON.stringify(schema))) as TSchema;
}
