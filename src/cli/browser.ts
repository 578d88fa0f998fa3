import { spawn } from 'node:child_process';

/** Opens a page in the user's browser. Calls `failed` when that is not possible. */
export function openBrowser(url: string, failed: (reason: string) => void): void {
  const [command, ...args] = browserCommand(process.platform, url);
  // cmd has its own quoting rules, so it gets its arguments unchanged.
  const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true });
  child.on('error', (error) => failed(error.message));
  child.on('exit', (code) => {
    if (code) failed(`${command} exited with code ${code}`);
  });
  child.unref();
}

export function browserCommand(platform: NodeJS.Platform, url: string): [string, ...string[]] {
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', `"${url}"`];
  return [platform === 'darwin' ? 'open' : 'xdg-open', url];
}
