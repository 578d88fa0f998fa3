import { el } from './dom.js';
import { resolve, sample } from './schema.js';

/** What one call taught goes into the empty fields of all forms. */
const known = { sessionId: '', channelIndex: '0', path: '' };
const forms = [];

export function learn(facts) {
  Object.assign(known, facts);
  for (const { parameters, body } of forms) prefill(parameters, body, facts);
}

/** A form that makes the call, shows the answer, and gives the same call as a curl command. */
export function tryForm({ contract, token }, { method, path, operation }) {
  const inAddress = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
  const parameters = inAddress.map((parameter) => {
    const input = el('input', { name: parameter.name, required: true, autocomplete: 'off', spellcheck: false });
    return { name: parameter.name, input, row: el('label', {}, parameter.name, input) };
  });
  const body = bodyField(contract, operation);
  const output = el('output', {});
  const send = el('button', { type: 'submit' }, 'Send');
  const request = () => buildRequest({ method, path, parameters, body, token: token.value });
  const form = el(
    'form',
    {
      submit: async (event) => {
        event.preventDefault();
        send.disabled = true;
        output.replaceChildren(el('p', { class: 'note' }, 'Waiting for the answer …'));
        output.replaceChildren(...(await run(request())));
        send.disabled = false;
      },
    },
    parameters.map(({ row }) => row),
    body ? el('label', {}, 'Body (JSON)', body) : undefined,
    el(
      'div',
      { class: 'buttons' },
      send,
      copyButton(() => curl(request())),
    ),
    output,
  );
  forms.push({ parameters, body });
  prefill(parameters, body, known);
  return form;
}

function bodyField(contract, operation) {
  const schema = operation.requestBody?.content['application/json'].schema;
  if (!schema) return undefined;
  const text = JSON.stringify(sample(contract, resolve(contract, schema)), null, 2);
  return el('textarea', { name: 'body', spellcheck: false }, text);
}

function prefill(parameters, body, facts) {
  for (const { name, input } of parameters) {
    // A new session replaces the one before; what the user typed for the rest stays.
    if (facts[name] && (input.value === '' || name === 'sessionId')) input.value = facts[name];
  }
  if (facts.path && body?.value.includes('"path": ""'))
    body.value = body.value.replace('""', JSON.stringify(facts.path));
}

function buildRequest({ method, path, parameters, body, token }) {
  const url = parameters.reduce(
    (at, { name, input }) => at.replace(`{${name}}`, encodeURIComponent(input.value)),
    path,
  );
  const headers = {};
  if (token !== '') headers['Authorization'] = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  // The page may stand below a prefix: addresses are relative to it.
  return { method, url: new URL(url.slice(1), document.baseURI), headers, body: body?.value };
}

async function run({ method, url, headers, body }) {
  const started = performance.now();
  try {
    const response = await fetch(url, { method, headers, body, cache: 'no-store' });
    const bytes = await response.arrayBuffer();
    const milliseconds = Math.round(performance.now() - started);
    const status = `${response.status} ${response.statusText} · ${bytes.byteLength} bytes · ${milliseconds} ms`;
    return [
      el('p', { class: response.ok ? 'note' : 'failed' }, status),
      el('pre', { tabindex: '0' }, describe(response, bytes)),
      el('details', {}, el('summary', {}, 'Headers'), el('pre', {}, headerText(response))),
    ];
  } catch (error) {
    return [el('p', { class: 'failed' }, `No answer: ${error.message}. Is the server still running?`)];
  }
}

function describe(response, bytes) {
  if (response.headers.get('content-type') === 'application/octet-stream') return describePlane(bytes);
  const text = new TextDecoder().decode(bytes);
  try {
    const json = JSON.parse(text);
    if (json.sessionId && json.channels) learn({ sessionId: json.sessionId });
    return JSON.stringify(json, null, 2);
  } catch {
    return text;
  }
}

/** Little-endian float32, also on a machine of the other order. */
function describePlane(bytes) {
  const view = new DataView(bytes);
  const count = Math.floor(bytes.byteLength / 4);
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < count; i++) {
    const value = view.getFloat32(4 * i, true);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const first = Array.from({ length: Math.min(count, 16) }, (_, i) => view.getFloat32(4 * i, true));
  return `${count} samples (float32), ${min} to ${max}\n${first.join(', ')}${count > 16 ? ', …' : ''}`;
}

function headerText(response) {
  return [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
}

function copyButton(text) {
  const button = el('button', { type: 'button' }, 'Copy as curl');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy as curl';
    }, 1500);
  });
  return button;
}

/** One command for a POSIX shell. */
export function curl({ method, url, headers, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method]), quote(String(url))];
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quote(`${name}: ${value}`));
  if (body !== undefined) parts.push('--data', quote(body));
  if (/\/data$/.test(url.pathname)) parts.push('-o', 'plane.f32');
  return parts.join(' ');
}
