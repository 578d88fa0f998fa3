/** A request as a complete program in three languages, ready to paste and run. */
export const LANGUAGES = [
  { id: 'curl', label: 'curl', write: curl },
  { id: 'python', label: 'Python', write: python },
  { id: 'javascript', label: 'JavaScript', write: javascript },
];

/** Returns a command for a POSIX shell. */
export function curl({ method, url, headers, body, file }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const verb = method === 'GET' ? '' : method === 'HEAD' ? '--head ' : `-X ${method} `;
  const parts = [`curl ${verb}${quote(String(url))}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data ${quote(compact(body))}`);
  if (file) parts.push(`--data-binary ${quote(`@${file.name}`)}`);
  if (isPlane(method, url)) parts.push('-o plane.f32');
  if (isEvents(method, url)) parts.push('--no-buffer');
  return parts.join(' \\\n  ');
}

/** Returns a program for Python 3 that only needs numpy for planes. */
export function python({ method, url, headers, body, file }) {
  const plane = isPlane(method, url);
  const events = isEvents(method, url);
  const json = body !== undefined || (!plane && !events && method !== 'HEAD');
  const lines = [json ? 'import json' : '', 'from urllib.request import Request, urlopen', ''];
  if (plane) lines.splice(2, 0, '', 'import numpy');
  lines.push('request = Request(', `    ${quoted(String(url))},`);
  if (method !== 'GET') lines.push(`    method=${quoted(method)},`);
  const entries = Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  if (entries.length > 0) lines.push(`    headers={${entries.join(', ')}},`);
  if (body !== undefined) lines.push(`    data=${pythonBody(body)},`);
  if (file) lines.push(`    data=open(${quoted(file.name)}, "rb").read(),`);
  lines.push(')', 'with urlopen(request) as response:');
  if (method === 'HEAD') lines.push('    print(response.headers["Content-Length"], "bytes")');
  else if (plane) {
    lines.push('    samples = numpy.frombuffer(response.read(), "<f4")');
    lines.push('print(samples.size, "samples,", samples.min(), "to", samples.max())');
  } else if (events) lines.push('    for line in response:', '        print(line.decode(), end="")');
  else lines.push('    print(json.dumps(json.load(response), indent=2))');
  return lines.filter((line, i) => line !== '' || i > 0).join('\n');
}

/** Returns a module for Node or a browser. */
export function javascript({ method, url, headers, body, file }) {
  const options = [];
  if (method !== 'GET') options.push(`method: ${quoted(method)}`);
  const entries = Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  if (entries.length > 0) options.push(`headers: { ${entries.join(', ')} }`);
  if (body !== undefined) options.push(`body: ${javascriptBody(body)}`);
  if (file) options.push(`body: await openAsBlob(${quoted(file.name)})`);
  const lines =
    options.length === 0
      ? [`const response = await fetch(${quoted(String(url))});`]
      : [`const response = await fetch(${quoted(String(url))}, {`, ...options.map((option) => `  ${option},`), '});'];
  if (file) lines.unshift('import { openAsBlob } from "node:fs";', '');
  if (method === 'HEAD') lines.push('console.log(response.headers.get("content-length"), "bytes");');
  else if (isPlane(method, url)) {
    lines.push('const samples = new Float32Array(await response.arrayBuffer());');
    lines.push('console.log(samples.length, "samples, the first is", samples[0]);');
  } else if (isEvents(method, url)) {
    lines.push('const text = response.body.pipeThrough(new TextDecoderStream());');
    lines.push('for await (const part of text) console.log(part);');
  } else lines.push('console.log(JSON.stringify(await response.json(), null, 2));');
  return lines.join('\n');
}

function isPlane(method, url) {
  return method === 'GET' && /\/data$/.test(url.pathname);
}

/** The events of a session come as they happen; the answer ends with the session. */
function isEvents(method, url) {
  return method === 'GET' && /\/events$/.test(url.pathname);
}

/** Returns a string literal that is valid in both languages. */
function quoted(text) {
  return JSON.stringify(text);
}

function parsed(body) {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

function compact(body) {
  const json = parsed(body);
  return json ? JSON.stringify(json.value) : body;
}

/** Returns the body as Python. Text that is not JSON is sent as it is, so that the server reports the error. */
function pythonBody(body) {
  const json = parsed(body);
  return json ? `json.dumps(${pythonLiteral(json.value)}).encode()` : `${quoted(body)}.encode()`;
}

function pythonLiteral(value) {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${quoted(name)}: ${pythonLiteral(item)}`)
    .join(', ')}}`;
}

function javascriptBody(body) {
  const json = parsed(body);
  return json ? `JSON.stringify(${JSON.stringify(json.value)})` : quoted(body);
}
