import { userInfo } from 'node:os';
import { parse, posix, win32 } from 'node:path';

/** Returns the folder for the log and other state of this user's programs. Always absolute. */
export function defaultStateDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const { join } = platform === 'win32' ? win32 : posix;
  const folder = (name: string, ...below: string[]) =>
    absolute(env[name], platform) ?? join(homeFolder(env, platform), ...below);
  if (platform === 'win32') return join(folder('LOCALAPPDATA', 'AppData', 'Local'), 'acquisition-store');
  if (platform === 'darwin') {
    return join(homeFolder(env, platform), 'Library', 'Application Support', 'acquisition-store');
  }
  return join(folder('XDG_STATE_HOME', '.local', 'state'), 'acquisition-store');
}

/** Returns the folder of Windows, in which its own programs are. */
export function windowsFolder(env: NodeJS.ProcessEnv): string {
  return env['SystemRoot'] || env['SYSTEMROOT'] || 'C:\\Windows';
}

/**
 * Returns the home folder of this user. Always absolute: `os.homedir()` is empty when `HOME` is, and paths below it
 * would then lie in the working directory.
 */
export function homeFolder(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  return absolute(env[platform === 'win32' ? 'USERPROFILE' : 'HOME'], platform) ?? registeredHome();
}

/** Returns the home folder in the system's list of users. Some containers have users without an entry. */
function registeredHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return parse(process.cwd()).root;
  }
}

/** Returns an absolute path; ignores relative values, as the XDG base directory specification requires. */
function absolute(path: string | undefined, platform: NodeJS.Platform): string | undefined {
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
