import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the folder for what lives as long as the application: below the runtime folder of this user's session, else below
 * the state folder. It is created when it is missing, and only this user can look into it.
 * @throws Error for a folder that other users could have prepared
 */
export function runtimeFolder(stateDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const session = env['XDG_RUNTIME_DIR'];
  const path =
    session !== undefined && session !== '' && isPrivate(session)
      ? join(session, 'acquisition-store')
      : join(stateDir, 'desktop');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!isPrivate(path)) {
    throw new Error(`${path}: other users can change this folder. Remove it, or make it yours: chmod 700 ${path}`);
  }
  return path;
}

/** True for a folder of this user that nobody else can look into. Windows protects the profile folder itself. */
function isPrivate(path: string): boolean {
  try {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return false;
    if (process.platform === 'win32') return true;
    return stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
