/** The contract as a page: everything on it comes from /openapi.json of the same server. */
import { el, phrase, prose } from './dom.js';
import { fields, resolve, typeName } from './schema.js';
import { learn, tryForm } from './try.js';

const page = document.getElementById('page');
const contents = document.getElementById('contents');

try {
  const contract = await getJson('openapi.json');
  const token = el('input', { type: 'password', autocomplete: 'off', placeholder: 'only when the server wants one' });
  render({ contract, token });
  const { examples } = await getJson('api/v2/examples');
  if (examples[0]) learn({ path: examples[0].path });
} catch (error) {
  if (!page.querySelector('section')) {
    page.replaceChildren(el('p', { class: 'failed' }, `The contract could not be loaded: ${error.message}`));
  }
}

async function getJson(url) {
  const response = await fetch(new URL(url, document.baseURI), { cache: 'no-store' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

function render(context) {
  const { info, tags } = context.contract;
  const operations = listOperations(context.contract);
  contents.replaceChildren(el('h1', {}, info.title), el('div', { class: 'note' }, `Version ${info.version} · API v2`));
  page.replaceChildren(
    el(
      'header',
      {},
      el('h1', {}, `${info.title}, API v2`),
      prose(info.description),
      el('p', {}, el('a', { href: 'openapi.json' }, 'openapi.json'), ' · ', el('a', { href: 'demo/v2/' }, 'Viewer')),
      el('form', { submit: (event) => event.preventDefault() }, el('label', {}, 'Token', context.token)),
    ),
  );
  for (const tag of tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag.name));
    contents.append(el('h2', {}, tag.name), ...own.map(link));
    page.append(el('h2', {}, tag.name), el('p', { class: 'note' }, tag.description));
    page.append(...own.map((one) => section(context, one)));
  }
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

function listOperations({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function badge(method) {
  return el('span', { class: `method ${method.toLowerCase()}` }, method);
}

function link({ method, operation }) {
  return el('a', { href: `docs#${operation.operationId}` }, badge(method), operation.summary);
}

function section(context, one) {
  const { contract } = context;
  const { method, path, operation } = one;
  const schema = operation.requestBody?.content['application/json'].schema;
  return el(
    'section',
    { class: 'operation', id: operation.operationId },
    el('h3', {}, operation.summary),
    el('div', { class: 'call' }, badge(method), el('span', { class: 'path' }, path)),
    prose(operation.description),
    schema ? [el('h4', {}, `Body: ${typeName(contract, schema)}`), fields(contract, schema)] : undefined,
    operation.parameters ? [el('h4', {}, 'In the address'), parameterList(contract, operation.parameters)] : undefined,
    el('h4', {}, 'Answers'),
    Object.entries(operation.responses).map(([status, one]) => answer(contract, status, resolve(contract, one))),
    el('h4', {}, 'Try it'),
    tryForm(context, one),
  );
}

function parameterList(contract, parameters) {
  return el(
    'ul',
    { class: 'fields' },
    parameters.map(({ name, schema, description }) =>
      el(
        'li',
        {},
        el('code', {}, name),
        ' ',
        el('span', { class: 'type' }, typeName(contract, schema)),
        ' ',
        phrase(description),
      ),
    ),
  );
}

function answer(contract, status, response) {
  const [[mediaType, { schema }] = ['', {}]] = Object.entries(response.content ?? {});
  const failed = Number(status) >= 400;
  const title = failed
    ? phrase(response.description)
    : [mediaType === 'application/json' ? typeName(contract, schema) : mediaType];
  return el(
    'details',
    {},
    el('summary', {}, el('code', failed ? { class: 'failed' } : {}, status), ' ', title),
    fields(contract, schema),
  );
}
