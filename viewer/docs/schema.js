import { el, phrase } from './dom.js';

/** Follows a `$ref` inside the document. */
export function resolve(contract, schema) {
  if (!schema?.$ref) return schema ?? {};
  const parts = schema.$ref.split('/').slice(1);
  return parts.reduce((at, key) => at[key], contract);
}

/** Short name of a type: `array of integer`, `"float32"`, `object`. */
export function typeName(contract, schema) {
  const own = resolve(contract, schema);
  if (schema?.$ref) return schema.$ref.split('/').at(-1);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (own.anyOf) return own.anyOf.map((one) => typeName(contract, one)).join(' or ');
  if (own.type === 'array') return `array of ${typeName(contract, own.items)}`;
  return own.type ?? 'any';
}

/** The fields of an object and, folded, of the objects in it. */
export function fields(contract, schema) {
  const own = resolve(contract, schema);
  if (own.anyOf) {
    const parts = own.anyOf.map((one) => resolve(contract, one)).filter((one) => one.properties);
    return parts.length
      ? el(
          'div',
          {},
          parts.map((one) => [el('p', { class: 'note' }, one.title ?? ''), list(contract, one)]),
        )
      : undefined;
  }
  if (own.type === 'array') return fields(contract, own.items);
  return own.properties ? list(contract, own) : undefined;
}

function list(contract, { properties, required = [] }) {
  return el(
    'ul',
    { class: 'fields' },
    Object.entries(properties).map(([name, schema]) => field(contract, name, schema, required.includes(name))),
  );
}

function field(contract, name, schema, required) {
  const own = resolve(contract, schema);
  const head = [
    el('code', required ? { class: 'required' } : {}, name),
    ' ',
    el('span', { class: 'type' }, typeName(contract, schema)),
    own.description ? el('span', { class: 'note' }, ' — ', phrase(own.description)) : undefined,
  ];
  const inner = fields(contract, schema);
  return inner ? el('li', {}, el('details', {}, el('summary', {}, head), inner)) : el('li', {}, head);
}

/** A value to begin with: the required fields only. */
export function sample(contract, schema) {
  const own = resolve(contract, schema);
  if (own.type !== 'object') return own.type === 'string' ? '' : 0;
  const names = own.required ?? [];
  return Object.fromEntries(names.map((name) => [name, sample(contract, own.properties[name])]));
}
