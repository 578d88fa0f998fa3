import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, as the system tells it: together with its number it names a process for good, while numbers
 * are used again. Empty where that cannot be known (Windows).
 */
export function processStart(pid: number): string {
  if (process.platform === 'win32') return '';
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], PS).trim();
    // Ticks since the computer started, field 22 of proc_pid_stat(5); that start has a number of its own.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${fieldsOf(pid)[19]}`;
  } catch {
    return '';
  }
}

const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 2_000,
};

/** True for a process that has ended while its parent has not asked about it yet: it still has its number. */
export function isZombie(pid: number): boolean {
  try {
    return /^[ZX]/.test(fieldsOf(pid)[0] ?? '');
  } catch {
    return false;
  }
}

/** Fields of /proc/PID/stat from the third on: the second, the name in brackets, can contain anything. */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
