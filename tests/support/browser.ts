import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Chromium as distributions install it; `CHROMIUM` names another. */
const CANDIDATES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

export function chromiumPath(): string | undefined {
  return CANDIDATES.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== '';
    } catch {
      return false;
    }
  });
}

/** `resolve`: host name → address, for sites that do not exist. */
export function launchBrowser(resolve: Record<string, string> = {}): Promise<Browser> {
  const rules = Object.entries(resolve).map(([name, address]) => `MAP ${name} ${address}`);
  return chromium.launch({
    executablePath: chromiumPath() as string,
    args: ['--no-sandbox', ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(', ')}`] : [])],
  });
}
