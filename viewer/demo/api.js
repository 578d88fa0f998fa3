/** The HTTP contract, as far as this page uses it. Everything is same-origin. */

const TOKEN_KEY = 'acqstore-token';

/** An answer that is not a success: `code` is for programs, `message` for people. */
export class ApiError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Takes a token out of `#token=…`, so that it is neither sent as part of an address nor left in it. */
export function adoptToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  sessionStorage.setItem(TOKEN_KEY, token);
  history.replaceState(null, '', location.pathname + location.search);
}

export function useToken(token) {
  sessionStorage.setItem(TOKEN_KEY, token);
}

async function call(method, path, { body, signal, keepalive } = {}) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      signal,
      keepalive: keepalive ?? false,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('unreachable', 'The server does not answer. Is it still running?');
  }
  return response;
}

async function callJson(method, path, options) {
  const response = await call(method, path, options);
  const answer = await response.json().catch(() => null);
  if (!answer) throw new ApiError('no_json', `The server answered ${response.status} without JSON.`);
  if (answer.ok !== true) throw new ApiError(answer.error, answer.message);
  return answer;
}

export const capabilities = () => callJson('GET', '/api/v2/capabilities');
export const examples = () => callJson('GET', '/api/v2/examples');
export const open = (body, signal) => callJson('POST', '/api/v2/open', { body, signal });
export const pickAndOpen = (body, signal) => callJson('POST', '/api/v2/pick-and-open', { body, signal });
export const status = (id) => callJson('GET', `/api/v2/sessions/${id}`);
export const renew = (id) => callJson('POST', `/api/v2/sessions/${id}/renew`);

/** Ends a session; also while the page goes away. What is already over is no error. */
export function remove(id) {
  return callJson('DELETE', `/api/v2/sessions/${id}`, { keepalive: true }).catch(() => undefined);
}

/** One plane, checked: as many bytes as announced, as many samples as the shape says. */
export async function plane(channel, [rows, columns], signal) {
  const response = await call('GET', channel.dataUrl, { signal });
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new ApiError(answer.error ?? 'no_data', answer.message ?? `The server answered ${response.status}.`);
  }
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength !== channel.byteLength || bytes.byteLength !== rows * columns * 4) {
    throw new ApiError(
      'wrong_length',
      `${channel.name}: ${bytes.byteLength} bytes came, ${channel.byteLength} were announced.`,
    );
  }
  return new Float32Array(bytes);
}
