import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Returns when a process started, as the system reports it. With the process id it identifies a process for good,
 * because ids are reused. Empty where the system does not provide it (Windows).
 */
export function processStart(pid: number): string {
  if (process.platform === 'win32') return '';
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], PS).trim();
    // Ticks since boot, field 22 of proc_pid_stat(5), and the id of this boot.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readStat(pid)[19]}`;
  } catch {
    return '';
  }
}

const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  // The time of a start must read the same for every process that asks.
  env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 2_000,
};

/** True for a process that has ended but keeps its id until its parent asks for its exit code. */
export function isZombie(pid: number): boolean {
  try {
    return /^[ZX]/.test(readStat(pid)[0] ?? '');
  } catch {
    return false;
  }
}

/** Returns the fields of /proc/PID/stat from the third on. The second, a name in brackets, can contain anything. */
function readStat(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** True while a process has this id, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns a name of this process for files: `host-pid-start`. Later processes can tell by it that this one has ended.
 * @param host the computer, and what else separates processes that do not see each other
 */
export function nameProcess(host = hostname()): string {
  const { pid } = process;
  return `${digest(host)}-${pid}-${digest(processStart(pid))}`;
}

/**
 * True when the process with a name of `nameProcess` has ended, also when another one has got its id since. Undefined for a
 * process of another computer.
 */
export function hasEnded(name: string, host = hostname()): boolean | undefined {
  const [of, id, start] = name.split('-');
  if (of !== digest(host)) return undefined;
  const pid = Number(id);
  if (!isAlive(pid) || isZombie(pid)) return true;
  const now = processStart(pid);
  // The system may not have told the time.
  return now !== '' && start !== digest('') && digest(now) !== start;
}

/** Returns what separates the processes of this container from others of the computer. Empty where there is nothing of the kind. */
export function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
