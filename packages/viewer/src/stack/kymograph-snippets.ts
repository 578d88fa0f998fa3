/** Programs that compute a kymograph with the server, ready to paste and run. */
import type { OpenRequest } from '@acquisition-store/client/contract/open.js';
import type { KymographLine } from './kymograph.ts';

interface KymographAddress {
  /** `http://127.0.0.1:8767` */
  readonly base: string;
  /** Opens the stack. */
  readonly request: OpenRequest;
  /** Position of the channel in the list of the response. */
  readonly position: number;
  readonly line: KymographLine;
}

export const KYMOGRAPH_SNIPPETS = [
  { id: 'python', label: 'Python', make: python },
  { id: 'javascript', label: 'JavaScript', make: javascript },
] as const;

/** The JSON of the requests is also a Python literal, because it contains only strings, numbers, lists and objects. */
function python({ base, request, position, line }: KymographAddress): string {
  return `import numpy, requests

api = ${JSON.stringify(base)}
opened = requests.post(f"{api}/api/v2/open", json=${JSON.stringify({ ...request, decode: 'later' })}).json()
if not opened["ok"]:
    raise RuntimeError(opened["message"])
session = f"{api}/api/v2/sessions/{opened['sessionId']}"
profile = f"{session}/channels/{opened['channels'][${position}]['index']}/profile"
line = ${JSON.stringify({ points: line.points, width: line.width })}
rows = [requests.post(f"{profile}?T={t}", json=line).json() for t in range(opened["header"]["sizes"]["T"])]
kymograph = numpy.array([row["values"] for row in rows], dtype="f4")  # time points × samples along the line
print(kymograph.shape, rows[0]["distance"][-1], rows[0]["unit"])
requests.delete(session)
`;
}

function javascript({ base, request, position, line }: KymographAddress): string {
  return `const api = ${JSON.stringify(base)};
const post = async (url, body) =>
  (
    await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json();
const opened = await post(\`\${api}/api/v2/open\`, ${JSON.stringify({ ...request, decode: 'later' })});
if (!opened.ok) throw new Error(opened.message);
const session = \`\${api}/api/v2/sessions/\${opened.sessionId}\`;
const profile = \`\${session}/channels/\${opened.channels[${position}].index}/profile\`;
const line = ${JSON.stringify({ points: line.points, width: line.width })};
const kymograph = []; // one row for each time point
for (let t = 0; t < opened.header.sizes.T; t++) kymograph.push((await post(\`\${profile}?T=\${t}\`, line)).values);
console.log(kymograph.length, kymograph[0].length);
await fetch(session, { method: 'DELETE' });
`;
}
