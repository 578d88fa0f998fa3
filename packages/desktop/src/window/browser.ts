import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppWindow, WindowOptions } from '../interfaces.js';

/** Shows a page in a tab of the user's browser. Returns nothing when that is not possible. */
export async function showBrowser(url: string, { stateDir, openPage }: WindowOptions): Promise<AppWindow | undefined> {
  const folder = join(stateDir, 'desktop');
  const page = join(folder, 'open.html');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(page, { force: true });
  // The address has a secret, and every user of the computer can list arguments: the browser reads it from a private file.
  writeFileSync(page, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  const open = () =>
    openPage(page).then(
      () => true,
      () => false,
    );
  if (!(await open())) {
    rmSync(page, { force: true });
    return undefined;
  }
  return {
    kind: 'browser',
    closed: new Promise(() => {}),
    focus: () => void open(),
    close: async () => rmSync(page, { force: true }),
  };
}
