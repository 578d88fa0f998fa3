// The viewer of the server in a cell of a notebook: its page in a frame, with which it shares the state of the widget.

const SHARED = ['selection', 'contrast', 'regions'];

/** Milliseconds until the viewer, or the kernel, is said to be silent. */
const PATIENCE = 20_000;

function render({ model, el }) {
  const leave = new AbortController();
  const box = document.createElement('div');
  box.className = 'acquisition-store';
  const picture = document.createElement('img');
  picture.src = model.get('_picture');
  picture.alt = model.get('_name');
  picture.style.cssText = 'max-width: 100%; display: block;';
  picture.hidden = model.get('_picture') === '';
  const note = document.createElement('div');
  note.setAttribute('role', 'status');
  note.style.cssText = 'padding: 4px 0; font: 13px system-ui, sans-serif;';
  box.append(picture, note);
  el.append(box);
  show({ model, box, note, signal: leave.signal }).catch((error) => {
    if (!leave.signal.aborted) note.textContent = error.message;
  });
  return () => leave.abort();
}

/** Puts the viewer in place of the picture. Where no kernel answers, the picture stays. */
async function show({ model, box, note, signal }) {
  const told = await askKernel(model, signal);
  if (told === null) return;
  note.textContent = 'Opening the viewer …';
  const address = new URL('demo/v2/', await findServer(told));
  const frame = document.createElement('iframe');
  frame.title = `Viewer: ${model.get('_name')}`;
  frame.allow = 'clipboard-write; fullscreen';
  frame.style.cssText = 'width: 100%; border: 0; display: none;';
  const resize = () => {
    frame.style.height = `${model.get('height')}px`;
  };
  resize();
  listen(model, 'change:height', resize, signal);
  const { session, token, calibration } = told;
  const port = await loadPage(frame, address, box, signal);
  await checkServer(frame, address, told, signal);
  const state = Object.fromEntries(SHARED.map((name) => [name, model.get(name)]));
  share(model, port.mine, signal, () => {
    frame.style.display = 'block';
    for (const other of [...box.children]) if (other !== frame) other.remove();
  });
  const message = { acquisitionStore: 'connect', session, token, calibration, state };
  frame.contentWindow.postMessage(message, address.origin, [port.other]);
  signal.addEventListener('abort', () => frame.remove());
}

/** Asks the kernel for the address and the session, which must not be stored with the notebook; null without a kernel. */
function askKernel(model, signal) {
  return new Promise((resolve, reject) => {
    const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
    const timer = setTimeout(() => resolve(null), PATIENCE);
    const answer = (message) => {
      if (message?.id !== id) return;
      clearTimeout(timer);
      if (message.error === undefined) resolve(message);
      else reject(new Error(message.error));
    };
    listen(model, 'msg:custom', answer, signal);
    signal.addEventListener('abort', () => clearTimeout(timer));
    try {
      model.send({ kind: 'where', id });
    } catch {
      clearTimeout(timer);
      resolve(null);
    }
  });
}

/**
 * Returns the address of the server as this page reaches it: through Jupyter where its proxy is installed, which is right
 * wherever the browser is; otherwise directly.
 */
async function findServer({ url, port }) {
  const base = jupyterBase();
  if (base !== null && port !== null) {
    const proxied = new URL(`proxy/${port}/`, base);
    const health = await fetch(new URL('api/v2/health', proxied))
      .then((answer) => answer.json())
      .catch(() => null);
    if (health?.apiVersion === 'v2') return proxied;
  }
  const direct = new URL(url.endsWith('/') ? url : `${url}/`);
  const isLoopback = (name) => name === 'localhost' || name === '127.0.0.1';
  // Browsers keep two names of one computer apart.
  if (isLoopback(direct.hostname) && isLoopback(location.hostname)) direct.hostname = location.hostname;
  return direct;
}

/** Returns the address of the Jupyter server of this page; null in other programs. */
function jupyterBase() {
  const settings = document.getElementById('jupyter-config-data')?.textContent;
  const path = settings ? JSON.parse(settings).baseUrl : document.body?.dataset.baseUrl;
  return path ? new URL(path.endsWith('/') ? path : `${path}/`, location.origin) : null;
}

/** Loads the page into the frame, and returns both ends of the port once the page listens. */
function loadPage(frame, address, box, signal) {
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(
        new Error(
          `The viewer did not load from ${address}. The browser must reach the server: beside Jupyter on another ` +
            'computer, install jupyter-server-proxy; for a page that is not of this computer, start the server with ' +
            `--allow-origin ${location.origin}.`,
        ),
      );
    const timer = setTimeout(fail, PATIENCE);
    const hear = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== address.origin || data?.acquisitionStore !== 'ready') return;
      clearTimeout(timer);
      removeEventListener('message', hear);
      const { port1, port2 } = new MessageChannel();
      resolve({ mine: port1, other: port2 });
    };
    addEventListener('message', hear);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      removeEventListener('message', hear);
    });
    frame.src = address.href;
    box.append(frame);
  });
}

/**
 * Checks that the page in the frame is of the server that the kernel uses: at the end of a tunnel, another one may have its port.
 * Nothing secret was sent to it yet.
 */
function checkServer(frame, address, { challenge, proof }, signal) {
  if (!proof) return Promise.resolve();
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(
        new Error(
          `At ${address} is another server than the one that this notebook uses, so nothing was shared with it. Beside ` +
            'Jupyter on another computer, install jupyter-server-proxy.',
        ),
      );
    const timer = setTimeout(fail, PATIENCE);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      port1.close();
      if (data.proof === proof) resolve();
      else fail();
    };
    signal.addEventListener('abort', () => clearTimeout(timer));
    frame.contentWindow.postMessage({ acquisitionStore: 'prove', challenge }, address.origin, [port2]);
  });
}

/** Keeps the traits of the widget and what the page shows equal. */
function share(model, port, signal, shown) {
  const text = (value) => JSON.stringify(value);
  /** What the page has, as text: what came from it is not sent back. */
  const known = new Map();
  port.onmessage = ({ data }) => {
    if (data.shown !== undefined) shown();
    if (!data.state) return;
    for (const name of SHARED) {
      // Another cell of the widget may have loaded channels that this page has not.
      const value = name === 'contrast' ? { ...model.get(name), ...data.state[name] } : data.state[name];
      known.set(name, text(value));
      if (text(model.get(name)) !== known.get(name)) model.set(name, value);
    }
    model.save_changes();
  };
  for (const name of SHARED) {
    const send = () => {
      const value = model.get(name);
      if (text(value) === known.get(name)) return;
      known.set(name, text(value));
      port.postMessage({ state: { [name]: value } });
    };
    listen(model, `change:${name}`, send, signal);
  }
  signal.addEventListener('abort', () => port.close());
}

function listen(model, event, act, signal) {
  model.on(event, act);
  signal.addEventListener('abort', () => model.off(event, act));
}

export default { render };
