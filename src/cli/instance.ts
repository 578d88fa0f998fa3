import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';

/**
 * The note that a running server leaves in the state folder, one per port, readable by its user alone (0600): it
 * holds the token. It is a hint only; who really answers is asked through `GET /api/v2/health`.
 */
export const Instance = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  hostname: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  url: Type.String(),
  token: Type.String(),
  /** By it the server proves that it wrote this file. */
  secret: Type.String({ minLength: 32 }),
  /** `processStart` of the process; empty where the system does not tell. */
  processStart: Type.String(),
  startedAt: Type.String(),
  version: Type.String(),
});
export type Instance = Static<typeof Instance>;

export function instancePath(stateDir: string, port: number): string {
  return join(stateDir, `instance-${port}.json`);
}

/** Whole or not at all: written aside, then moved into place. @returns the path */
export function writeInstance(stateDir: string, instance: Instance): string {
  const path = instancePath(stateDir, instance.port);
  const aside = `${path}.${process.pid}`;
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  rmSync(aside, { force: true });
  writeFileSync(aside, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(aside, path);
  return path;
}

/** The note for a port; `undefined` when there is none, or none that makes sense. */
export function readInstance(stateDir: string, port: number): Instance | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(instancePath(stateDir, port), 'utf8'));
    return Value.Check(Instance, parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the note of a process, not that of a successor on the same port. */
export function removeInstance(stateDir: string, port: number, pid: number): void {
  const found = readInstance(stateDir, port);
  if (found?.pid === pid && found.hostname === hostname()) rmSync(instancePath(stateDir, port), { force: true });
}

/** Notes of servers whose process still lives on this machine. Notes of dead ones are removed. */
export function livingInstances(stateDir: string): Instance[] {
  const living: Instance[] = [];
  for (const name of listFolder(stateDir)) {
    const port = Number(/^instance-(\d{1,5})\.json$/.exec(name)?.[1] ?? Number.NaN);
    const instance = Number.isNaN(port) ? undefined : readInstance(stateDir, port);
    // A home folder may be shared between machines: what runs elsewhere cannot be judged from here.
    if (!instance || instance.hostname !== hostname()) continue;
    if (isAlive(instance.pid)) living.push(instance);
    else removeInstance(stateDir, port, instance.pid);
  }
  return living;
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
