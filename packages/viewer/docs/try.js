import { codeBlock, el } from './dom.js';
import { label, resolve, sample } from './schema.js';
import { snippetTabs } from './tabs.js';

/** Values from responses, which are filled into empty fields of all forms. */
const known = { sessionId: '', channelIndex: '0', path: '', folder: '', uploadId: '', uploadKey: '' };
/** Until a file is chosen, programs name one, and nothing is sent. */
const NO_FILE = { name: 'scan.tif' };
/** A new one replaces the previous one; other typed values stay. */
const REPLACED = ['sessionId', 'uploadId', 'uploadKey'];
const forms = [];

export function learn(values) {
  Object.assign(known, values);
  for (const form of forms) prefill(form, values);
  refreshForms();
}

/** Updates the programs of all forms. */
export function refreshForms() {
  for (const { tabs } of forms) tabs.refresh();
}

/** Creates a form that shows a request in several languages, sends it and shows the response. */
export function tryForm({ contract, token }, { method, path, operation }) {
  const parameters = (operation.parameters ?? []).map((parameter) => parameterField(parameter, path));
  const examples = exampleBodies(contract, operation);
  const file = fileField(operation);
  const body = examples ? el('textarea', { name: 'body', spellcheck: false }) : undefined;
  const output = el('output', {});
  const send = el('button', { type: 'submit' }, 'Send');
  const request = () => buildRequest({ method, path, parameters, body, file, token: token.value });
  const tabs = snippetTabs(operation.operationId, request);
  const form = { parameters, body, tabs, ...(!body && { file }) };
  const choose = (value) => {
    body.value = JSON.stringify(withKnownPath(value), null, 2);
    tabs.refresh();
  };
  if (examples) choose(Object.values(examples)[0]);
  forms.push(form);
  prefill(form, known);
  tabs.refresh();
  return el(
    'form',
    {
      input: () => {
        const [chosen] = (body && file?.files) ?? [];
        if (chosen) announce(chosen, body);
        tabs.refresh();
      },
      submit: async (event) => {
        event.preventDefault();
        send.disabled = true;
        output.replaceChildren(el('p', { class: 'note' }, 'Waiting for the response…'));
        output.replaceChildren(...(await run(request())));
        send.disabled = false;
      },
    },
    parameters.map(({ row }) => row),
    file ? el('label', {}, 'File', file) : undefined,
    body ? [exampleChoice(examples, choose), el('label', {}, 'Body (JSON)', body)] : undefined,
    tabs.element,
    el('div', { class: 'buttons' }, send),
    output,
  );
}

function parameterField({ name, in: place, required, schema }, path) {
  const input = el('input', { name, required, autocomplete: 'off', spellcheck: false });
  if (required && schema.examples) input.value = schema.examples[0];
  return {
    name,
    value: valueFor(name, path),
    place,
    input,
    row: el('label', {}, required ? name : `${name} (optional)`, input),
  };
}

/** Returns which of the known values a parameter takes. */
function valueFor(name, path) {
  if (name === 'path' && path.endsWith('/folders')) return 'folder';
  // The keys of a store are another thing.
  return name === 'key' && path.startsWith('/api/v2/uploads/') ? 'uploadKey' : name;
}

/** Creates a field for the file that an operation announces or sends; `undefined` for any other. */
function fileField({ operationId, requestBody }) {
  const sends = requestBody?.content['application/octet-stream'] !== undefined;
  return sends || operationId === 'createUpload' ? el('input', { type: 'file' }) : undefined;
}

/** Announces a file, and chooses it in the form that sends it. */
function announce(file, body) {
  body.value = JSON.stringify({ name: file.name, size: file.size }, null, 2);
  const chosen = new DataTransfer();
  chosen.items.add(file);
  for (const form of forms) if (form.file) form.file.files = chosen.files;
  learn({ uploadKey: file.name });
}

/** Returns example bodies by name; `undefined` for an operation without a body. */
function exampleBodies(contract, operation) {
  const media = operation.requestBody?.content['application/json'];
  if (!media) return undefined;
  const named = Object.entries(media.examples ?? {}).map(([name, { value }]) => [name, value]);
  return named.length > 0 ? Object.fromEntries(named) : { empty: sample(contract, resolve(contract, media.schema)) };
}

function exampleChoice(examples, choose) {
  const names = Object.keys(examples);
  if (names.length < 2) return undefined;
  const options = names.map((name) => el('option', { value: name }, label(name)));
  return el(
    'label',
    {},
    'Example',
    el('select', { change: (event) => choose(examples[event.currentTarget.value]) }, options),
  );
}

/** Replaces the path of an example by that of the server's sample. */
function withKnownPath(value) {
  return value.path !== undefined && known.path !== '' ? { ...value, path: known.path } : value;
}

function prefill({ parameters, body }, values) {
  for (const { value, input } of parameters) {
    if (values[value] && (input.value === '' || REPLACED.includes(value))) input.value = values[value];
  }
  if (!values.path || !body) return;
  try {
    const value = JSON.parse(body.value);
    if (value.path !== undefined) body.value = JSON.stringify({ ...value, path: values.path }, null, 2);
  } catch {
    // Keep a body that the user is still typing.
  }
}

function buildRequest({ method, path, parameters, body, file, token }) {
  let address = path;
  const query = new URLSearchParams();
  const headers = {};
  if (token !== '') headers['Authorization'] = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  else if (file) headers['Content-Type'] = 'application/octet-stream';
  for (const { name, place, input } of parameters) {
    if (place === 'path') address = address.replace(`{${name}}`, escaped(name, input.value) || placeholder(name));
    else if (input.value !== '' && place === 'query') query.set(name, input.value);
    else if (input.value !== '') headers[name] = input.value;
  }
  // Addresses are relative, because the page may be behind the path of a proxy.
  const url = new URL(address.slice(1), document.baseURI);
  url.search = query;
  return { method, url, headers, body: body?.value, ...(!body && file && { file: file.files[0] ?? NO_FILE }) };
}

/** Escapes a part of an address. The slashes of a key are part of the address. */
function escaped(name, value) {
  return name === 'key' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
}

/** Returns a placeholder for a missing parameter: `SESSION_ID` for `sessionId`. */
function placeholder(name) {
  return name.replace(/([A-Z])/g, '_$1').toUpperCase();
}

async function run({ method, url, headers, body, file }) {
  if (file === NO_FILE) return [el('p', { class: 'failed' }, 'Choose a file first.')];
  const started = performance.now();
  try {
    const response = await fetch(url, { method, headers, body: body ?? file, cache: 'no-store' });
    const bytes = await (isEvents(response) ? firstEvents(response) : response.arrayBuffer());
    const milliseconds = Math.round(performance.now() - started);
    const size = `${bytes.byteLength.toLocaleString('en-US')} bytes`;
    const status = `${response.status} ${response.statusText} · ${size} · ${milliseconds} ms`;
    return [
      el('p', { class: response.ok ? 'note' : 'failed' }, status),
      method === 'HEAD' ? undefined : codeBlock(describe(response, bytes), 'Response'),
      el(
        'details',
        { open: method === 'HEAD' },
        el('summary', {}, 'Headers'),
        codeBlock(headerText(response), 'Headers'),
      ),
    ].filter(Boolean);
  } catch (error) {
    return [el('p', { class: 'failed' }, `No response: ${error.message}. Check that the server is running.`)];
  }
}

function isEvents({ headers }) {
  return headers.get('content-type') === 'text/event-stream';
}

/** Returns what a stream of events begins with, up to the end of its first event, and leaves it. */
async function firstEvents(response) {
  const reader = response.body.getReader();
  const parts = [];
  let text = '';
  while (!/^event:[\s\S]*\n\n$/m.test(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    text += new TextDecoder().decode(value);
  }
  await reader.cancel();
  return new Blob(parts).arrayBuffer();
}

function describe(response, bytes) {
  if (response.headers.get('content-type') === 'application/octet-stream') return describePlane(bytes);
  const text = new TextDecoder().decode(bytes);
  try {
    const json = JSON.parse(text);
    if (json.sessionId && json.channels) learn({ sessionId: json.sessionId });
    if (json.uploadId && json.maxBytes !== undefined) learn({ uploadId: json.uploadId });
    return JSON.stringify(json, null, 2);
  } catch {
    return text;
  }
}

/** Describes a plane of little-endian float32 samples. */
function describePlane(bytes) {
  const view = new DataView(bytes);
  const count = Math.floor(bytes.byteLength / 4);
  if (count === 0) return 'Less than one sample.';
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < count; i++) {
    const value = view.getFloat32(4 * i, true);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const first = Array.from({ length: Math.min(count, 16) }, (_, i) => view.getFloat32(4 * i, true));
  const size = count.toLocaleString('en-US');
  return `${size} samples (float32), ${min} to ${max}\n${first.join(', ')}${count > 16 ? ', …' : ''}`;
}

function headerText(response) {
  return [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
}
