import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
