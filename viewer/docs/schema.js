import { el, jsonBlock, phrase } from './dom.js';

/** Follows a `$ref` inside the document. */
export function resolve(contract, schema) {
  if (!schema?.$ref) return schema ?? {};
  const parts = schema.$ref.split('/').slice(1);
  return parts.reduce((at, key) => at[key], contract);
}

/** Short name of a type: `array of integer`, `"float32"`, `Reference or null`. */
export function typeName(contract, schema) {
  const own = resolve(contract, schema);
  if (schema?.$ref) return own.title ?? schema.$ref.split('/').at(-1);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (own.anyOf) return own.anyOf.map((one) => typeName(contract, one)).join(' or ');
  if (own.type === 'array') return `array of ${typeName(contract, own.items)}`;
  const values = valuesOf(own);
  if (values) return `object of ${typeName(contract, values)}`;
  return own.type ?? 'any';
}

/** Schema of the values of an object whose names are free; `undefined` for one that lists its fields. */
function valuesOf({ patternProperties, additionalProperties }) {
  if (patternProperties) return Object.values(patternProperties)[0];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/**
 * The fields of an object and, folded, of the objects in it; of each kind of object where there are several.
 * @param mark which fields are marked: the `required` ones of a request, the `optional` ones of a response
 */
export function fields(contract, schema, mark) {
  const own = resolve(contract, schema);
  if (own.anyOf) return own.anyOf.flatMap((one) => alternative(contract, one, own.anyOf, mark));
  const part = own.type === 'array' ? own.items : valuesOf(own);
  if (part) return described(contract, part, mark);
  return own.properties ? [list(contract, own, mark)] : [];
}

/** One of several kinds; named where more than one has fields. */
function alternative(contract, schema, all, mark) {
  const several = all.filter((one) => fields(contract, one, mark).length > 0).length > 1;
  return described(contract, schema, mark, several ? el('strong', {}, typeName(contract, schema), ': ') : '');
}

/** The fields of a schema that no field or heading has described yet. */
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

/** Name, type, `required` or `optional`, meaning, limits and an example of a field or a parameter. */
export function fieldHead(contract, name, schema, word, description = resolve(contract, schema).description) {
  const own = resolve(contract, schema);
  const limits = limitsOf(own);
  const each = eachMeaning(contract, own);
  return [
    el('code', { class: 'name' }, name),
    ' ',
    el('span', { class: 'type' }, typeName(contract, schema)),
    word ? el('span', { class: word }, ` ${word}`) : undefined,
    description ? el('span', { class: 'meaning' }, ' – ', phrase(description)) : undefined,
    each ? el('span', { class: 'meaning' }, ' Each: ', phrase(each)) : undefined,
    limits ? el('span', { class: 'type' }, ' ', limits) : undefined,
    own.examples?.length ? el('span', { class: 'type' }, ' Example: ', el('code', {}, example(own))) : undefined,
  ];
}

/** What the entries of a list mean, when they have no fields of their own to say it. */
function eachMeaning(contract, own) {
  const part = own.type === 'array' ? own.items : valuesOf(own);
  return part && fields(contract, part).length === 0 ? resolve(contract, part).description : undefined;
}

function example({ examples }) {
  return JSON.stringify(examples[0]).replaceAll(',', ', ');
}

/** What a value must keep to, beside its type. */
function limitsOf(own) {
  const { minimum, maximum, exclusiveMinimum, minItems, maxItems, minLength, maxLength, pattern } = own;
  const items = own.items ? limitsOf(own.items) : '';
  return [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '',
    minimum !== undefined && maximum === undefined ? `At least ${minimum}.` : '',
    exclusiveMinimum !== undefined ? `Above ${exclusiveMinimum}.` : '',
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

/** The examples of a media type, folded. */
export function examplesOf(media) {
  return Object.entries(media?.examples ?? {}).map(([name, { value }]) =>
    el('details', {}, el('summary', {}, `Example: ${label(name)}`), jsonBlock(value, `Example: ${label(name)}`)),
  );
}

/** `noSuchFile` as words. */
export function label(name) {
  return name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A value to begin with: the required fields only. */
export function sample(contract, schema) {
  const own = resolve(contract, schema);
  if (own.type !== 'object') return own.type === 'string' ? '' : 0;
  const names = own.required ?? [];
  return Object.fromEntries(names.map((name) => [name, sample(contract, own.properties[name])]));
}
