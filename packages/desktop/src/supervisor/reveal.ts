import { execFile } from 'node:child_process';
import { dirname, isAbsolute, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOOL_MS = 5_000;

/**
 * Shows a file in the file manager of the system.
 * @param path absolute
 * @throws Error when there is no way to do so
 */
export async function revealFile(path: string): Promise<void> {
  // Another path could be taken for an option.
  if (!isAbsolute(path)) throw new Error(`the path is not absolute: ${path}`);
  if (process.platform === 'darwin') return run('/usr/bin/open', ['-R', path]);
  if (process.platform === 'win32') {
    const [command, ...args] = explorerCommand(process.env, path);
    // The explorer ends with 1 also when it has shown the file.
    return run(command!, args).catch(() => {});
  }
  const bus = ['call', '--session', '--dest', 'org.freedesktop.FileManager1'];
  const call = ['--object-path', '/org/freedesktop/FileManager1', '--method', 'org.freedesktop.FileManager1.ShowItems'];
  const uris = `['${pathToFileURL(path).href.replaceAll("'", '%27')}']`;
  // Not every desktop has this service: then the folder alone is shown.
  await run('gdbus', [...bus, ...call, uris, '']).catch(() => run('xdg-open', [dirname(path)]));
}

/**
 * Returns the explorer of Windows and its argument. The path is in quotes, which it cannot have inside: the explorer would
 * take what follows a comma for another argument.
 */
export function explorerCommand(env: NodeJS.ProcessEnv, path: string): string[] {
  // Without its folder, an explorer.exe in the working directory could run.
  const folder = env['SystemRoot'] || 'C:\\Windows';
  return [win32.join(folder, 'explorer.exe'), `/select,"${path.replaceAll('"', '')}"`];
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: TOOL_MS, windowsVerbatimArguments: true }, (error) => {
      if (error)
        reject(new Error(`the file manager could not be opened (${command}: ${error.message.split('\n')[0]})`));
      else resolve();
    });
  });
}
