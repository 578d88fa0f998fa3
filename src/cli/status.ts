import { EXIT } from './exit-codes.js';
import type { StatusFlags } from './flags.js';
import { type Found, findServers } from './running.js';
import { toTable } from './table.js';
import { visible, visibleJson } from './visible.js';

/** `acqstore status`: lists the servers of this user. @returns the exit code: 0 when at least one is running */
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

/** Never the token, nor the secret. */
function describe({ state, url, port, pid, version, startedAt }: Found): object {
  return { state, url, port, pid, version, startedAt };
}

function toText(server: Found): string {
  const { state, url, pid, version, startedAt } = server;
  if (state !== 'running' && state !== 'stopping') return `${visible(url)}: ${doubt(server)}.`;
  const facts = [
    ['Viewer', `${url}/demo/v2/`],
    ['API', `${url}/api/v2`],
    ['Process', `${pid}, since ${startedAt}`],
  ];
  const does = state === 'running' ? 'is running' : 'is stopping, or does not answer';
  return `Acquisition Store Server ${visible(version)} ${does}.\n${toTable(facts, '  ')}`;
}

/** Why a server that has an instance file is not known to be one. */
export function doubt({ state, pid }: Found): string {
  return state === 'silent'
    ? `process ${pid} of the instance file is alive but does not answer there`
    : `another program answers there; process ${pid} of the instance file may be any program`;
}
