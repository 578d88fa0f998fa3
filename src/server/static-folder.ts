import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { App } from './app.js';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Only what the page itself brings; nothing may frame it but the server's own pages. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * Serves each file of a folder at an address of its own below `prefix` (`/docs/`), `index.html` at `home`.
 * Files are listed once: no request can name any other, so there is no traversal to guard against.
 */
export function serveFolder(app: App, folder: string, prefix: string, home = prefix): void {
  for (const name of listFiles(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const url = name === 'index.html' ? home : prefix + name;
    app.get(url, { schema: { hide: true }, config: { tokenFree: true } }, async (_request, reply) => {
      reply.headers({
        'content-security-policy': PAGE_POLICY,
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-cache',
      });
      return reply.type(type).send(await readFile(join(folder, name)));
    });
  }
}

/** Names with `/` between their parts; none when the folder is missing. */
function listFiles(folder: string, below = ''): string[] {
  let entries: ReturnType<typeof readEntries>;
  try {
    entries = readEntries(join(folder, below));
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    if (entry.isDirectory()) return listFiles(folder, `${below}${entry.name}/`);
    return entry.isFile() ? [below + entry.name] : [];
  });
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
