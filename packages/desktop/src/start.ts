/** Connects the application with what surrounds it: folders of the user, files of the executable, other programs. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { openAddress, openPage } from '../../server/dist/browser.js';
import { packageVersion } from '../../server/dist/package-files.js';
import { defaultStateDir, homeFolder } from '../../server/dist/state-folder.js';
import { runApplication } from './application.js';
import type { ServerProgram } from './interfaces.js';
import { startSupervisor } from './supervisor/index.js';
import { showWindow } from './window/index.js';

/** Shows the window, and resolves to the exit code when it is closed. @param file absolute path of an acquisition to open */
export async function startDesktop(file: string | undefined): Promise<number> {
  const { env, platform } = process;
  const stateDir = env['ACQSTORE_STATE_DIR'] || defaultStateDir(env, platform);
  const isFirst = await runApplication({
    file,
    serverProgram: serverProgram(),
    startCommand: [process.execPath, ...SCRIPT],
    stateDir,
    settingsFile: env['ACQSTORE_CONFIG'] || join(settingsFolder(env, platform), 'settings.json'),
    logFile: join(stateDir, 'acqstore.log'),
    version: packageVersion(),
    assets: isSea() ? embeddedPage : builtPage,
    onViewer: openAddress,
    openPage,
    shell: join(isSea() ? dirname(process.execPath) : HERE, 'hvshell'),
    startSupervisor,
    showWindow,
  });
  if (!isFirst)
    console.log(`Acquisition Store is open already: its window ${file ? `opens ${file}` : 'comes to the front'}.`);
  return 0;
}

/** The script that Node runs, from source and on macOS; a single executable has itself there. */
const SCRIPT = process.argv.slice(1, 2).filter((path) => path.endsWith('.js'));

/** Folder of this module; of no use in the executable. */
const HERE = isSea() ? '' : dirname(fileURLToPath(import.meta.url));

function serverProgram(): ServerProgram {
  if (isSea()) return { command: process.execPath, args: [...SCRIPT, 'serve'] };
  return { command: process.execPath, args: [join(HERE, '..', '..', 'server', 'dist', 'cli', 'main.js'), 'serve'] };
}

/** Returns the folder of the settings: that of the system for settings, or the state folder where both are one. */
function settingsFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32' || platform === 'darwin') return defaultStateDir(env, platform);
  return join(env['XDG_CONFIG_HOME'] || join(homeFolder(env, platform), '.config'), 'acquisition-store');
}

function embeddedPage(name: string): Uint8Array | undefined {
  const names = JSON.parse(getAsset('files.json', 'utf8')) as string[];
  return names.includes(`page/${name}`) ? new Uint8Array(getRawAsset(`page/${name}`) as ArrayBuffer) : undefined;
}

function builtPage(name: string): Uint8Array | undefined {
  try {
    return readFileSync(join(HERE, '..', 'page', 'dist', name));
  } catch {
    return undefined;
  }
}
