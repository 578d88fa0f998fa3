import { EXIT } from './exit-codes.js';
import type { StatusFlags } from './flags.js';
import { type Candidate, findServers } from './running.js';
import { toTable } from './table.js';
import { visible, visibleJson } from './visible.js';

/** `acqstore status`: lists the servers of this user. Returns the exit code, 0 when at least one is running. */
export async function status(stateDir: string, flags: StatusFlags): Promise<number> {
  const servers = await findServers(stateDir, flags.port);
  if (flags.json) console.log(visibleJson(JSON.stringify({ ok: true, servers: servers.map(describe) }, null, 2)));
  else if (servers.length === 0) console.log(noServer(flags.port));
  else console.log(servers.map(toText).join('\n\n'));
  return servers.some(({ state }) => state === 'running') ? EXIT.ok : EXIT.failed;
}

export function noServer(port: number | undefined): string {
  return port === undefined ? 'No server is running.' : `No server is running at port ${port}.`;
}

/** Returns the JSON of a server, without the token and the secret. */
function describe({ state, url, port, pid, version, startedAt }: Candidate): object {
  return { state, url, port, pid, version, startedAt };
}

function toText(server: Candidate): string {
  const { state, url, pid, version, startedAt } = server;
  if (state !== 'running' && state !== 'stopping') return `${visible(url)}: ${describeDoubt(server)}.`;
  const rows = [
    ['Viewer', `${url}/demo/v2/`],
    ['API', `${url}/api/v2`],
    ['Process', `${pid}, since ${startedAt}`],
  ];
  const activity = state === 'running' ? 'is running' : 'is stopping or does not answer';
  return `Acquisition Store Server ${visible(version)} ${activity}.\n${toTable(rows, '  ')}`;
}

/** Says why an instance file does not prove that its server is running. */
export function describeDoubt({ state, pid }: Candidate): string {
  return state === 'silent'
    ? `process ${pid} of the instance file is running but does not answer at this address`
    : `another program answers at this address; process ${pid} of the instance file may be any program`;
}
