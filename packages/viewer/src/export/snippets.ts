/** Programs that fetch the shown plane, ready to paste and run. */
import type { OpenRequest } from '@acquisition-store/client/contract/open.js';

interface PlaneAddress {
  /** `http://127.0.0.1:8767` */
  readonly base: string;
  readonly request: OpenRequest;
  /** Position of the channel in the list of the response. */
  readonly position: number;
  /** Data URL of that channel. Its session is not used. */
  readonly dataUrl: string;
  readonly reference: boolean;
}

export const SNIPPETS = [
  { id: 'python', label: 'Python', make: python },
  { id: 'javascript', label: 'JavaScript', make: javascript },
  { id: 'curl', label: 'curl', make: curl },
] as const;

/** The JSON of the request is also a Python literal, because it contains only strings, numbers, lists and objects. */
function python({ base, request, position, reference }: PlaneAddress): string {
  const image = reference ? 'opened["reference"]' : 'opened';
  return `import numpy, requests

api = ${JSON.stringify(base)}
opened = requests.post(f"{api}/api/v2/open", json=${JSON.stringify(request)}).json()
if not opened["ok"]:
    raise RuntimeError(opened["message"])
image = ${image}
data = requests.get(api + image["channels"][${position}]["dataUrl"]).content
plane = numpy.frombuffer(data, "<f4").reshape(image["plane"]["shape"])
(y, x) = image["plane"]["axes"]
print(plane.shape, y["step"], y["unit"], x["step"], x["unit"])
requests.delete(f"{api}/api/v2/sessions/{opened['sessionId']}")
`;
}

function javascript({ base, request, position, reference }: PlaneAddress): string {
  return `const api = ${JSON.stringify(base)};
const opened = await (
  await fetch(\`\${api}/api/v2/open\`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(${JSON.stringify(request)}),
  })
).json();
if (!opened.ok) throw new Error(opened.message);
const image = ${reference ? 'opened.reference' : 'opened'};
const data = await (await fetch(api + image.channels[${position}].dataUrl)).arrayBuffer();
const plane = new Float32Array(data); // row by row, little-endian
console.log(image.plane.shape, image.plane.axes);
await fetch(\`\${api}/api/v2/sessions/\${opened.sessionId}\`, { method: 'DELETE' });
`;
}

/** A script for a POSIX shell that does not need jq. */
function curl({ base, request, dataUrl }: PlaneAddress): string {
  const data = dataUrl.replace(/^.*\/sessions\/[^/]+\//, '');
  return `api=${quoteForShell(base)}
session=$(curl -s "$api/api/v2/open" -H 'Content-Type: application/json' \\
  -d ${quoteForShell(JSON.stringify(request))} | sed -n 's/.*"sessionId":"\\([0-9a-f]*\\)".*/\\1/p')
curl -s -o plane.f32 "$api/api/v2/sessions/$session/${data}"
curl -s -X DELETE "$api/api/v2/sessions/$session"
`;
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
