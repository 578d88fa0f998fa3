/** Opens pages in the user's browser. Addresses come from settings and websites too, so none reaches a shell or becomes an option. */
import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { windowsFolder } from './state-folder.js';

/** The characters of addresses (RFC 3986). White space, quotes and `\ ^ | < >` are not among them. */
const ADDRESS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** Opens a web page. @throws Error that says why it cannot be opened */
export async function openAddress(address: string): Promise<void> {
  if (!isWebAddress(address)) throw new Error('only http and https addresses are opened');
  await open(address);
}

/**
 * Opens a page that this program has written.
 * @param path absolute
 * @throws Error that says why it cannot be opened
 */
export async function openPage(path: string): Promise<void> {
  // A URL may keep characters that addresses do not have, such as `|`.
  await open(pathToFileURL(path).href.replace(/[^A-Za-z0-9\-._~:/%]/g, encodeURIComponent));
}

/** True for an address of a web page that programs of the system can be given. */
function isWebAddress(text: string): boolean {
  return ADDRESS.test(text) && URL.canParse(text) && /^https?:\/\//i.test(text);
}

/**
 * Returns the program that opens an address, and its arguments.
 * @param address with a scheme, so that it is not an option
 * @throws Error when Windows would change the address
 */
export function browserCommand(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, address: string): string[] {
  // Not `start`: cmd would run what follows an `&`. Without its folder, a rundll32.exe in the working directory could run.
  if (platform === 'win32') {
    if (hasVariable(address, env)) throw new Error('the address contains the name of an environment variable');
    return [win32.join(windowsFolder(env), 'System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler', address];
  }
  return [platform === 'darwin' ? '/usr/bin/open' : 'xdg-open', address];
}

/** True when Windows may put the value of an environment variable, which may be secret, into an address: `%PATH%`. */
function hasVariable(address: string, env: NodeJS.ProcessEnv): boolean {
  const names = new Set(Object.keys(env).map((name) => name.toUpperCase()));
  return address
    .split('%')
    .slice(1, -1)
    .some((name) => names.has(name.toUpperCase()));
}

async function open(address: string): Promise<void> {
  const [command = '', ...args] = browserCommand(process.platform, process.env, address);
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
      // `open` prefers a file of this name, which a folder with data could have.
      ...(process.platform === 'darwin' && { cwd: '/' }),
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} exited with code ${code}`));
    });
    child.unref();
  });
}
