import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { isAlive } from '../processes.js';

/**
 * The instance file of a running server: one per port in the state folder, readable only by its user (0600), because it
 * contains the token. It is only a hint; `GET /api/v2/health` proves which server answers.
 */
export const Instance = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  hostname: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  url: Type.String(),
  token: Type.String(),
  /** The server uses it to prove that it wrote this file. */
  secret: Type.String({ minLength: 32 }),
  /** `processStart` of the process; empty where the system does not provide it. */
  processStart: Type.String(),
  startedAt: Type.String(),
  version: Type.String(),
});
export type Instance = Static<typeof Instance>;

export function instancePath(stateDir: string, port: number): string {
  return join(stateDir, `instance-${port}.json`);
}

/** Writes an instance file completely or not at all, by renaming a temporary file. Returns its path. */
export function writeInstance(stateDir: string, instance: Instance): string {
  const path = instancePath(stateDir, instance.port);
  const draft = `${path}.${process.pid}`;
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
  return path;
}

/** Reads the instance file for a port; `undefined` when it is missing or invalid. */
export function readInstance(stateDir: string, port: number): Instance | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(instancePath(stateDir, port), 'utf8'));
    return Value.Check(Instance, parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the instance file of a process, but not that of a later server on the same port. */
export function removeInstance(stateDir: string, port: number, pid: number): void {
  const instance = readInstance(stateDir, port);
  if (instance?.pid === pid && instance.hostname === hostname()) rmSync(instancePath(stateDir, port), { force: true });
}

/** Returns the instances whose process is alive on this computer. Removes the files of dead processes. */
export function livingInstances(stateDir: string): Instance[] {
  const living: Instance[] = [];
  for (const name of listFolder(stateDir)) {
    const port = Number(/^instance-(\d{1,5})\.json$/.exec(name)?.[1] ?? Number.NaN);
    const instance = Number.isNaN(port) ? undefined : readInstance(stateDir, port);
    // Computers may share a home folder; processes of other computers cannot be checked from here.
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
