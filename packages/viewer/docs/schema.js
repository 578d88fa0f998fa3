import { el, jsonBlock, phrase } from './dom.js';

/** Returns the schema that a `$ref` inside the document refers to. */
export function resolve(contract, schema) {
  if (!schema?.$ref) return schema ?? {};
  const parts = schema.$ref.split('/').slice(1);
  return parts.reduce((at, key) => at[key], contract);
}

/** Returns a short name of a type: `array of integer`, `"float32"`, `Reference or null`. */
export function typeName(contract, schema) {
  const resolved = resolve(contract, schema);
  if (schema?.$ref) return resolved.title ?? schema.$ref.split('/').at(-1);
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (resolved.anyOf) return resolved.anyOf.map((option) => typeName(contract, option)).join(' or ');
  if (resolved.type === 'array') return `array of ${typeName(contract, resolved.items)}`;
  const values = valuesOf(resolved);
  if (values) return `object of ${typeName(contract, values)}`;
  return resolved.type ?? 'any';
}

/**
 * Returns the schema of the values of an object with arbitrary names; `undefined` for an object that lists its fields.
 */
function valuesOf({ patternProperties, additionalProperties }) {
  if (patternProperties) return Object.values(patternProperties)[0];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/**
 * Shows the fields of an object and, collapsed, of nested objects. A union shows the fields of each type.
 * @param mark which fields are marked: `required` ones in a request, `optional` ones in a response
 */
export function fields(contract, schema, mark) {
  const resolved = resolve(contract, schema);
  if (resolved.anyOf) return resolved.anyOf.flatMap((option) => alternative(contract, option, resolved.anyOf, mark));
  const part = resolved.type === 'array' ? resolved.items : valuesOf(resolved);
  if (part) return described(contract, part, mark);
  return resolved.properties ? [list(contract, resolved, mark)] : [];
}

/** Shows one type of a union, with its name when more than one type has fields. */
function alternative(contract, schema, all, mark) {
  const several = all.filter((option) => fields(contract, option, mark).length > 0).length > 1;
  return described(contract, schema, mark, several ? el('strong', {}, typeName(contract, schema), ': ') : '');
}

/** Shows a schema that has no field or heading of its own, with its description. */
function described(contract, schema, mark, name = '') {
  const inner = fields(contract, schema, mark);
  if (inner.length === 0) return [];
  return [el('p', { class: 'note' }, name, phrase(resolve(contract, schema).description)), inner];
}

function list(contract, { properties, required = [] }, mark) {
  const names = Object.keys(properties);
  if (names.length === 0) return el('p', { class: 'note' }, 'No fields.');
  return el(
    'ul',
    { class: 'fields' },
    names.map((name) => {
      const marked = required.includes(name) === (mark === 'required');
      return field(contract, name, properties[name], marked ? mark : undefined, mark);
    }),
  );
}

function field(contract, name, schema, word, mark) {
  const head = fieldHead(contract, name, schema, word);
  const inner = fields(contract, schema, mark);
  if (inner.length === 0) return el('li', {}, head);
  return el('li', {}, el('details', {}, el('summary', {}, head), inner));
}

/** Shows name, type, `required` or `optional`, description, limits and an example of a field or a parameter. */
export function fieldHead(contract, name, schema, word, description = resolve(contract, schema).description) {
  const resolved = resolve(contract, schema);
  const limits = limitsOf(resolved);
  const each = eachMeaning(contract, resolved);
  return [
    el('code', { class: 'name' }, name),
    ' ',
    el('span', { class: 'type' }, typeName(contract, schema)),
    word ? el('span', { class: word }, ` ${word}`) : undefined,
    description ? el('span', { class: 'meaning' }, ' – ', phrase(description)) : undefined,
    each ? el('span', { class: 'meaning' }, ' Each: ', phrase(each)) : undefined,
    limits ? el('span', { class: 'type' }, ' ', limits) : undefined,
    resolved.examples?.length
      ? el('span', { class: 'type' }, ' Example: ', el('code', {}, example(resolved)))
      : undefined,
  ];
}

/** Returns the description of the entries of a list, unless they have fields that describe them. */
function eachMeaning(contract, resolved) {
  const part = resolved.type === 'array' ? resolved.items : valuesOf(resolved);
  return part && fields(contract, part).length === 0 ? resolve(contract, part).description : undefined;
}

function example({ examples }) {
  return JSON.stringify(examples[0]).replaceAll(',', ', ');
}

/** Returns the limits of a value as text. */
function limitsOf(resolved) {
  const { minimum, maximum, exclusiveMinimum, minItems, maxItems, minLength, maxLength, pattern } = resolved;
  const items = resolved.items ? limitsOf(resolved.items) : '';
  return [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '',
    minimum !== undefined && maximum === undefined ? `At least ${minimum}.` : '',
    exclusiveMinimum !== undefined ? `More than ${exclusiveMinimum}.` : '',
    minItems !== undefined && minItems === maxItems ? `Exactly ${minItems} entries.` : '',
    maxItems !== undefined && minItems !== maxItems ? `At most ${maxItems} entries.` : '',
    minLength ? 'Not empty.' : '',
    maxLength !== undefined ? `At most ${maxLength} characters.` : '',
    pattern !== undefined ? `Matches ${pattern}` : '',
    items ? `Each: ${items[0].toLowerCase()}${items.slice(1)}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Shows the examples of a media type, collapsed. */
export function examplesOf(media) {
  return Object.entries(media?.examples ?? {}).map(([name, { value }]) =>
    el('details', {}, el('summary', {}, `Example: ${label(name)}`), jsonBlock(value, `Example: ${label(name)}`)),
  );
}

/** Returns a name like `noSuchFile` as words. */
export function label(name) {
  return name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns a minimal value with the required fields only. */
export function sample(contract, schema) {
  const resolved = resolve(contract, schema);
  if (resolved.type !== 'object') return resolved.type === 'string' ? '' : 0;
  const names = resolved.required ?? [];
  return Object.fromEntries(names.map((name) => [name, sample(contract, resolved.properties[name])]));
}
