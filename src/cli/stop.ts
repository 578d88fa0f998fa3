import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from './exit-codes.js';
import type { StopFlags } from './flags.js';
import { removeInstance } from './instance.js';
import { type Found, findServers, isRunning } from './running.js';
import { doubt, noServer } from './status.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

/**
 * `acqstore stop`: ends servers of this user and waits until their processes have ended. A process is ended only when it
 * is certain that it wrote the instance file. @returns the exit code
 * @throws UsageError when several servers run and none is chosen
 */
export async function stop(stateDir: string, flags: StopFlags): Promise<number> {
  const found = await findServers(stateDir, flags.port);
  const isOurs = ({ state }: Found) => state === 'running' || state === 'stopping';
  const servers = found.filter(isOurs);
  const doubtful = found.filter((one) => !isOurs(one));
  for (const one of doubtful) console.error(`acqstore: ${visible(one.url)}: ${doubt(one)}. It was left alone.`);
  if (servers.length > 1 && !flags.all) throw severalServers(servers);
  if (found.length === 0) console.log(noServer(flags.port));
  let failed = doubtful.length > 0;
  for (const server of servers) if (!(await end(server, stateDir, flags))) failed = true;
  return failed ? EXIT.failed : EXIT.ok;
}

function severalServers(servers: readonly Found[]): UsageError {
  const ports = servers.map(({ port }) => port).join(', ');
  return new UsageError(`stop: ${servers.length} servers are running, at ports ${ports}. Add --port PORT or --all.`);
}

/** @returns whether the process has ended */
async function end(server: Found, stateDir: string, { now = false, timeout }: StopFlags): Promise<boolean> {
  const { pid, port, url } = server;
  const deadline = Date.now() + timeout * 1000;
  signal(pid);
  // The server takes a second signal as: do not wait. Signals of one kind that arrive together count as one.
  while (isRunning(pid) && Date.now() < deadline) {
    await sleep(100);
    if (now) signal(pid);
  }
  if (isRunning(pid)) {
    console.error(
      `acqstore: ${url}: process ${pid} has not ended after ${timeout} seconds; it may still be sending planes. ` +
        `To end it without waiting: acqstore stop --port ${port} --now`,
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
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
