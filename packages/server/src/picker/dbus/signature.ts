/** Type signatures of D-Bus (D-Bus Specification, "Type System" and "Valid Signatures"). */

/** `y` byte, `b` boolean, `n q i u x t` integers, `d` double, `s o g` strings, `v` variant. */
export type BasicCode = 'y' | 'b' | 'n' | 'q' | 'i' | 'u' | 'x' | 't' | 'd' | 's' | 'o' | 'g' | 'v';

export type DBusType =
  | { kind: 'basic'; code: BasicCode }
  | { kind: 'array'; element: DBusType }
  | { kind: 'struct' | 'entry'; fields: DBusType[] };

/** A value of any type. An array of dictionary entries is an array of [key, value]. */
export type DBusValue = number | bigint | boolean | string | Variant | DBusValue[];

export interface Variant {
  signature: string;
  value: DBusValue;
}

export const variant = (signature: string, value: DBusValue): Variant => ({ signature, value });

export const isVariant = (value: DBusValue | undefined): value is Variant =>
  typeof value === 'object' && !Array.isArray(value);

const MAX_SIGNATURE = 255;
/** D-Bus allows 32 nested arrays and 32 nested structs; variants count too. */
export const MAX_DEPTH = 64;
const BASIC = 'ybnqiuxtdsogv';
const ALIGNMENT: Record<BasicCode, number> = {
  ...{ y: 1, g: 1, v: 1, n: 2, q: 2 },
  ...{ b: 4, i: 4, u: 4, s: 4, o: 4 },
  ...{ x: 8, t: 8, d: 8 },
};

export const alignmentOf = (type: DBusType): number =>
  type.kind === 'basic' ? ALIGNMENT[type.code] : type.kind === 'array' ? 4 : 8;

/**
 * Parses a sequence of complete types.
 * @throws Error when the signature is invalid, which includes Unix file descriptors (`h`): they are not negotiated
 */
export function parseSignature(signature: string): DBusType[] {
  if (signature.length > MAX_SIGNATURE) throw new Error(`D-Bus signature of ${signature.length} characters`);
  const types: DBusType[] = [];
  let at = 0;
  while (at < signature.length) {
    const [type, next] = parseType(signature, at, 0);
    types.push(type);
    at = next;
  }
  return types;
}

/** Parses the signature of a variant, which has exactly one type. */
export function parseSingle(signature: string): DBusType {
  const types = parseSignature(signature);
  if (types.length !== 1) throw invalid(signature);
  return types[0]!;
}

function parseType(signature: string, at: number, depth: number): [DBusType, number] {
  if (depth > MAX_DEPTH) throw invalid(signature);
  const code = signature[at];
  if (code === undefined) throw invalid(signature);
  if (BASIC.includes(code)) return [{ kind: 'basic', code: code as BasicCode }, at + 1];
  if (code === '(') return parseFields(signature, at, depth, 'struct', ')');
  if (code !== 'a') throw invalid(signature);
  const isDictionary = signature[at + 1] === '{';
  const [element, next] = isDictionary
    ? parseFields(signature, at + 1, depth + 1, 'entry', '}')
    : parseType(signature, at + 1, depth + 1);
  return [{ kind: 'array', element }, next];
}

function parseFields(
  signature: string,
  at: number,
  depth: number,
  kind: 'struct' | 'entry',
  end: string,
): [DBusType, number] {
  const fields: DBusType[] = [];
  let next = at + 1;
  while (signature[next] !== end) {
    const [field, after] = parseType(signature, next, depth + 1);
    fields.push(field);
    next = after;
  }
  // An empty struct would take no bytes, and an array of them would never end.
  if (fields.length === 0 || (kind === 'entry' && fields.length !== 2)) throw invalid(signature);
  return [{ kind, fields }, next + 1];
}

const invalid = (signature: string) => new Error(`invalid D-Bus signature "${signature}"`);
