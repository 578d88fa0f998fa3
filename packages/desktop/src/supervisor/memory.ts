import { readFileSync } from 'node:fs';

/** Returns the memory that a process occupies now, in bytes; undefined where the system does not tell (only Linux does). */
export function readMemory(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
