import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from './exit-codes.js';
import type { StopFlags } from './flags.js';
import { removeInstance } from './instance.js';
import { complain } from './message.js';
import { type Candidate, findServers, isRunning } from './running.js';
import { describeDoubt, noServer } from './status.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

/**
 * `acqstore stop`: stops servers of this user and waits until their processes have ended. Ends a process only when it
 * certainly wrote the instance file. Returns the exit code.
 * @throws UsageError when several servers are running and none is selected
 */
export async function stop(stateDir: string, flags: StopFlags): Promise<number> {
  const candidates = await findServers(stateDir, flags.port);
  const isCertain = ({ state }: Candidate) => state === 'running' || state === 'stopping';
  const servers = candidates.filter(isCertain);
  const uncertain = candidates.filter((candidate) => !isCertain(candidate));
  for (const candidate of uncertain) {
    complain(`${visible(candidate.url)}: ${describeDoubt(candidate)}. It was not stopped.`);
  }
  if (servers.length > 1 && !flags.all) throw severalServers(servers);
  if (candidates.length === 0) console.log(noServer(flags.port));
  let failed = uncertain.length > 0;
  for (const server of servers) if (!(await end(server, stateDir, flags))) failed = true;
  return failed ? EXIT.failed : EXIT.ok;
}

function severalServers(servers: readonly Candidate[]): UsageError {
  const ports = servers.map(({ port }) => port).join(', ');
  return new UsageError(`${servers.length} servers are running, at ports ${ports}. Add --port PORT or --all.`);
}

/** Stops a server. Returns true when its process has ended. */
async function end(server: Candidate, stateDir: string, { now = false, timeout }: StopFlags): Promise<boolean> {
  const { pid, port, url } = server;
  const deadline = Date.now() + timeout * 1000;
  signal(pid);
  // A second signal makes the server stop at once. Signals of one kind that arrive together count as one.
  while (isRunning(pid) && Date.now() < deadline) {
    await sleep(100);
    if (now) signal(pid);
  }
  if (isRunning(pid)) {
    complain(
      `${url}: process ${pid} has not ended after ${timeout} seconds; it may still be sending planes. ` +
        `To stop it without waiting, run: acqstore stop --port ${port} --now`,
    );
    return false;
  }
  removeInstance(stateDir, port, pid);
  console.log(`Stopped the server at ${url} (process ${pid}).`);
  return true;
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    // ESRCH: it has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
