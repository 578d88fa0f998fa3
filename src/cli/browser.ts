import { spawn } from 'node:child_process';

/** Shows a page in the user's browser. Without one nothing happens but `failed` is called. */
export function openBrowser(url: string, failed: (reason: string) => void): void {
  const [command, ...args] = browserCommand(process.platform, url);
  // The quotes of cmd are not those of other programs: it gets its words as they are.
  const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true });
  child.on('error', (error) => failed(error.message));
  child.on('exit', (code) => {
    if (code) failed(`${command} ended with ${code}`);
  });
  child.unref();
}

export function browserCommand(platform: NodeJS.Platform, url: string): [string, ...string[]] {
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', `"${url}"`];
  return [platform === 'darwin' ? 'open' : 'xdg-open', url];
}
