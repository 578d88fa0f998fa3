import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOOL_MS = 5_000;

/**
 * Shows a file in the file manager of the system.
 * @throws Error when there is no way to do so
 */
export async function revealFile(path: string): Promise<void> {
  if (process.platform === 'darwin') return run('open', ['-R', path]);
  // The explorer ends with 1 also when it has shown the file.
  if (process.platform === 'win32') return run('explorer.exe', [`/select,${path}`]).catch(() => {});
  const bus = ['call', '--session', '--dest', 'org.freedesktop.FileManager1'];
  const call = ['--object-path', '/org/freedesktop/FileManager1', '--method', 'org.freedesktop.FileManager1.ShowItems'];
  const uris = `['${pathToFileURL(path).href.replaceAll("'", '%27')}']`;
  // Not every desktop has this service: then the folder alone is shown.
  await run('gdbus', [...bus, ...call, uris, '']).catch(() => run('xdg-open', [dirname(path)]));
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: TOOL_MS }, (error) => {
      if (error)
        reject(new Error(`the file manager could not be opened (${command}: ${error.message.split('\n')[0]})`));
      else resolve();
    });
  });
}
