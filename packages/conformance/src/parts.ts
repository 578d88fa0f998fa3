/** Reads answers field by field, so that a check depends on nothing but the fields that it needs. */
import { IsArray, IsObject, IsUnion, type Static, type TSchema } from 'typebox';
import { ensure, shorten } from './failure.js';

/**
 * Returns a response whose objects and lists are looked at when a check reads them. A required field that is missing, and an
 * object or a list that is something else, then fail the check that reads it, and no other. Values are for checks to compare.
 * @param at where the value is, such as `header.shape`; empty for the response itself
 */
export function toParts<T extends TSchema>(schema: T, value: unknown, what: string, at = ''): Static<T> {
  if (IsUnion(schema)) {
    const part = schema.anyOf.find((one) => IsObject(one) || IsArray(one));
    return (value === null || !part ? value : toParts(part, value, what, at)) as Static<T>;
  }
  const name = at === '' ? what : `\`${at}\` of ${what}`;
  if (IsArray(schema)) {
    ensure(Array.isArray(value), `${name} is ${shorten(value)}; expected a list`);
    return value.map((item, i) => toParts(schema.items, item, what, `${at}[${i}]`)) as Static<T>;
  }
  if (!IsObject(schema)) return value as Static<T>;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  ensure(isObject, `${name} is ${shorten(value)}; expected an object`);
  return new Proxy(value, {
    get(target, key) {
      const field = typeof key === 'string' ? schema.properties[key] : undefined;
      const found = (target as Record<string | symbol, unknown>)[key];
      if (!field) return found;
      const path = at === '' ? String(key) : `${at}.${String(key)}`;
      const isRequired = schema.required?.includes(String(key)) ?? false;
      ensure(found !== undefined || !isRequired, `\`${path}\` of ${what} is missing`);
      return found === undefined ? undefined : toParts(field, found, what, path);
    },
  }) as Static<T>;
}
