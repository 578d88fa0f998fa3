/** Shows the API. Everything on the page comes from /openapi.json of the same server. */
import { answers, errorSection } from './answers.js';
import { el, jump, phrase, prose } from './dom.js';
import { filterBox } from './filter.js';
import { examplesOf, fieldHead, fields, resolve, typeName } from './schema.js';
import { learn, refreshForms, tryForm } from './try.js';

const page = document.getElementById('page');
const contents = document.getElementById('contents');

try {
  const contract = await getJson('openapi.json');
  const token = el('input', {
    type: 'password',
    autocomplete: 'off',
    placeholder: 'only if the server requires one',
    input: refreshForms,
  });
  render({ contract, token });
  const { examples } = await getJson('api/v2/examples');
  if (examples[0]) learn({ path: examples[0].path, folder: examples[0].path.replace(/[\\/][^\\/]*$/, '') });
} catch (error) {
  if (!page.querySelector('section')) {
    page.replaceChildren(el('p', { class: 'failed' }, `The API description could not be loaded: ${error.message}`));
  }
}

async function getJson(url) {
  const response = await fetch(new URL(url, document.baseURI), { cache: 'no-store' });
  if (!response.ok) throw new Error(`${url} returned status ${response.status}`);
  return response.json();
}

function render(context) {
  const { contract } = context;
  const { info, tags } = contract;
  const operations = listOperations(contract);
  const groups = tags.map((tag) => {
    const tagged = inOrderOfUse(operations.filter(({ operation }) => operation.tags.includes(tag.name)));
    const headings = [el('h2', {}, tag.name), el('h2', {}, tag.name), el('p', { class: 'note' }, tag.description)];
    return { headings, entries: tagged.map((entry) => ({ link: link(entry), part: section(context, entry) })) };
  });
  const errors = { link: jump('errors', 'Errors of every request'), part: errorSection(contract, operations) };
  groups.push({ headings: [el('h2', {}, 'Errors'), el('h2', {}, 'Errors')], entries: [errors] });

  const links = el('details', {}, el('summary', {}, 'Operations'));
  expandWhenWide(links);
  contents.replaceChildren(
    el('p', { class: 'title' }, info.title),
    el('div', { class: 'note' }, `Version ${info.version} · API v2`),
    filterBox(groups, () => {
      links.open = true;
    }),
    links,
  );
  page.replaceChildren(introduction(context));
  for (const { headings, entries } of groups) {
    const [inContents, ...inPage] = headings;
    links.append(inContents, ...entries.map((entry) => entry.link));
    page.append(...inPage, ...entries.map(({ part }) => part));
  }
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** What ends something comes last: whoever tries one operation after the other still needs it before. */
function inOrderOfUse(operations) {
  const ends = ({ method }) => Number(method === 'DELETE');
  return operations.toSorted((a, b) => ends(a) - ends(b));
}

/** Collapses the list of operations on narrow screens, where it would fill the first page. */
function expandWhenWide(links) {
  const wide = matchMedia('(min-width: 50.01rem)');
  const expand = () => {
    links.open = wide.matches;
  };
  wide.addEventListener('change', expand);
  expand();
}

function introduction({ contract, token }) {
  const { info } = contract;
  return el(
    'header',
    {},
    el('h1', {}, `${info.title}, API v2`),
    prose(info.description),
    el('p', {}, el('a', { href: 'openapi.json' }, 'openapi.json'), ' · ', el('a', { href: 'demo/v2/' }, 'Viewer')),
    el('form', { submit: (event) => event.preventDefault() }, el('label', {}, 'Token', token)),
  );
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
  return jump(operation.operationId, badge(method), operation.summary);
}

function section(context, entry) {
  const { contract } = context;
  const { method, path, operation } = entry;
  const { operationId, summary, description, requestBody, parameters, responses } = operation;
  const media = requestBody?.content['application/json'];
  return el(
    'section',
    { class: 'operation', id: operationId },
    el('h3', {}, summary),
    el('div', { class: 'call' }, badge(method), el('span', { class: 'path' }, path)),
    prose(description),
    media ? body(contract, media, requestBody.required) : undefined,
    parameters ? [el('h4', {}, 'Parameters'), parameterList(contract, parameters)] : undefined,
    el('h4', {}, 'Responses'),
    answers(contract, responses),
    el('h4', {}, 'Try it'),
    tryForm(context, entry),
  );
}

function body(contract, media, required) {
  return [
    el('h4', {}, `Body: ${typeName(contract, media.schema)}`),
    el(
      'p',
      { class: 'note' },
      phrase(resolve(contract, media.schema).description),
      required ? '' : ' The body is optional.',
    ),
    fields(contract, media.schema, 'required'),
    examplesOf(media),
  ];
}

function parameterList(contract, parameters) {
  return el(
    'ul',
    { class: 'fields' },
    parameters.map(({ name, in: place, required, schema, description }) =>
      el(
        'li',
        {},
        fieldHead(contract, name, schema, required ? 'required' : undefined, description),
        ` Sent in the ${place === 'path' ? 'address' : place}.`,
      ),
    ),
  );
}
