/** The page: opens acquisitions, shows them, and leaves no session behind. */
import * as api from './api.js';
import { factTable, table } from './facts.js';
import { element, looksLikeLineScan, Panel } from './panel.js';

const SELECTABLE = { S: 'Scene', T: 'Time point', Z: 'Section' };
const $ = (id) => document.getElementById(id);

/** What is on screen: the response, its panels, how it was asked for, and when its session ends. */
let shown = null;
/** The request that runs, to be cancelled. */
let running = null;

async function run(what, waiting, request, clock = true) {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  $('error').hidden = true;
  busy(waiting);
  const started = performance.now();
  try {
    const answer = await request(controller.signal);
    await show(answer, controller.signal);
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    $('status').textContent = clock ? `Opened in ${seconds} s` : '';
  } catch (error) {
    if (running !== controller) return;
    report(error, what);
  } finally {
    if (running === controller) {
      running = null;
      busy(null);
    }
  }
}

/** Cancelling is not an error; the rest is told with its code. */
function report(error, what) {
  $('status').textContent = '';
  if (error.name === 'AbortError' || error.code === 'cancelled') {
    $('status').textContent = `${what} was cancelled`;
    return;
  }
  if (error.code === 'unauthorized') $('token-form').hidden = false;
  $('error').replaceChildren(element('code', {}, error.code ?? error.name), ` ${error.message}`);
  $('error').hidden = false;
}

function busy(text) {
  $('status').classList.toggle('busy', text !== null);
  if (text !== null) $('status').textContent = text;
  $('cancel').hidden = text === null;
  for (const control of document.querySelectorAll('header button:not(#cancel), #selection select, #selection input')) {
    control.disabled = text !== null;
  }
}

/** Fetches all planes of an opened acquisition, then replaces what was shown and ends its session. */
async function show(answer, signal) {
  try {
    const panels = [];
    for (const [channels, plane, overlay] of groups(answer)) {
      for (const channel of channels) {
        $('status').textContent = `Receiving ${channel.name} …`;
        const data = await api.plane(channel, plane.shape, signal);
        panels.push(new Panel(overlay ? `Reference ${channel.name}` : channel.name, plane, data, overlay));
      }
    }
    replace({ answer, panels });
  } catch (error) {
    api.remove(answer.sessionId);
    throw error;
  }
}

function groups({ channels, plane, reference }) {
  const own = [[channels, plane, null]];
  return reference ? [...own, [reference.channels, reference.plane, reference]] : own;
}

function replace(next) {
  if (shown) {
    api.remove(shown.answer.sessionId);
    for (const panel of shown.panels) panel.remove();
  }
  const { answer, panels } = next;
  shown = next;
  const lineScan = looksLikeLineScan(answer.plane);
  $('transpose').checked = lineScan;
  for (const panel of panels) panel.transposed = lineScan && !panel.overlay;
  $('view').hidden = false;
  $('panels').replaceChildren(...panels.map((panel) => panel.element));
  $('name').textContent = answer.source.name;
  $('path').value = answer.source.path;
  $('warnings').replaceChildren(...answer.warnings.map((warning) => element('li', {}, warning)));
  $('facts').replaceChildren(factTable(answer));
  $('json').textContent = JSON.stringify(answer, null, 2);
  document.title = `${answer.source.name} – Acquisition Store`;
  showSelection(answer);
  readSession(api.status(answer.sessionId));
}

/** One number field for each of S, T, Z that the file has. */
function showSelection({ header, selection }) {
  const fields = Object.keys(SELECTABLE).filter((dim) => header.dims.includes(dim));
  $('selection').hidden = fields.length === 0;
  $('selection').replaceChildren(
    ...fields.map((dim) => {
      const label = element('label', {}, `${SELECTABLE[dim]} `);
      const most = header.sizes[dim] - 1;
      const input = element('input', { type: 'number', name: dim, min: 0, max: most, value: selection?.[dim] ?? 0 });
      label.append(input, ` of 0–${most}`);
      return label;
    }),
  );
}

function openPath(path, selection) {
  const body = selection ? { path, selection } : { path };
  return run('Opening', `Opening ${path} …`, (signal) => api.open(body, signal));
}

async function readSession(request) {
  const session = shown;
  try {
    const { ttlSecondsRemaining, totalBytes, sessionId } = await request;
    if (session !== shown) return;
    shown.endsAt = performance.now() + ttlSecondsRemaining * 1000;
    shown.sessionFacts = [
      ['Session', `${sessionId.slice(0, 8)}…`],
      ['Held', `${(totalBytes / 1e6).toFixed(1)} MB`],
    ];
  } catch {
    if (session !== shown) return;
    shown.endsAt = 0;
    shown.sessionFacts = [['Session', 'ended']];
  }
  tick();
}

function tick() {
  if (!shown?.sessionFacts) return;
  const left = Math.max(0, Math.round((shown.endsAt - performance.now()) / 1000));
  const text = left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left` : 'over; open it again';
  $('session').replaceChildren(table([...shown.sessionFacts, ['Lifetime', text]]));
  $('renew').disabled = left === 0;
}

function leave() {
  if (!shown) return;
  api.remove(shown.answer.sessionId);
  shown.endsAt = 0;
  tick();
}

function offerExamples(list) {
  $('examples').replaceChildren(
    ...list.map(({ name, description, path }) => {
      const button = element('button', { type: 'button', title: description, class: 'example' }, `Sample: ${name}`);
      button.addEventListener('click', () => openPath(path));
      return button;
    }),
  );
}

async function start() {
  try {
    const [{ allowedImportExtensions }, { examples }] = await Promise.all([api.capabilities(), api.examples()]);
    offerExamples(examples);
    $('status').textContent = `Reads ${allowedImportExtensions.join(' ')}`;
  } catch (error) {
    report(error, 'Starting');
  }
}

$('pick').addEventListener('click', () =>
  run('Choosing', 'A file dialog is open on this computer …', (signal) => api.pickAndOpen({}, signal), false),
);
$('open-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const path = $('path').value.trim();
  if (path) openPath(path);
  else $('path').focus();
});
$('cancel').addEventListener('click', () => running?.abort());
$('selection').addEventListener('change', () => {
  const entries = [...new FormData($('selection'))].map(([dim, index]) => [dim, Number(index)]);
  openPath(shown.answer.source.path, Object.fromEntries(entries));
});
$('selection').addEventListener('submit', (event) => event.preventDefault());
$('transpose').addEventListener('change', () => {
  for (const panel of shown.panels) {
    panel.transposed = $('transpose').checked && !panel.overlay;
    panel.draw();
  }
});
$('renew').addEventListener('click', () => readSession(api.renew(shown.answer.sessionId)));
$('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  api.useToken($('token').value.trim());
  $('token-form').hidden = true;
  $('error').hidden = true;
  start();
});
addEventListener('pagehide', leave);
setInterval(tick, 1000);
api.adoptToken();
start();
