/** The page that stands alone, built and served as any web host would, and its readers in a browser. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { build } from 'vite';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { REPOSITORY } from './cli.js';
import type { Engine } from './engines/types.js';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Builds the page into a folder. The readers must have been compiled. */
export async function buildPage(outDir: string): Promise<void> {
  await build({
    configFile: resolve(REPOSITORY, 'packages/viewer/vite.config.ts'),
    mode: 'page',
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  });
}

/** For `addInitScript`: a browser without File System Access, whose dialogs tests cannot reach. */
export function withoutPickers(): void {
  for (const name of ['showOpenFilePicker', 'showDirectoryPicker']) Reflect.deleteProperty(window, name);
}

/** Serves a folder of static files, and files to be read at `/given/` with the numbers that they were added under. */
export class PageHost {
  readonly requests: string[] = [];
  /** Folder of the files. */
  readonly folder: string;
  private readonly given: string[] = [];
  private readonly server: Server;

  constructor(folder: string) {
    this.folder = folder;
    this.server = createServer(({ url = '/' }, response) => {
      const path = decodeURIComponent(new URL(url, 'http://host').pathname);
      this.requests.push(path);
      const file = this.toFile(path);
      if (path === '/favicon.ico') response.writeHead(204).end();
      else if (path === '/blank') response.setHeader('content-type', 'text/html').end('<!doctype html>');
      else if (file === undefined || !statSync(file, { throwIfNoEntry: false })?.isFile())
        response.writeHead(404).end();
      else
        response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream').end(readFileSync(file));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Returns the address at which a file can be fetched. */
  add(path: string): string {
    return `/given/${this.given.push(path) - 1}`;
  }

  private toFile(path: string): string | undefined {
    const number = /^\/given\/(\d+)$/.exec(path)?.[1];
    if (number !== undefined) return this.given[Number(number)];
    if (path === '/example.html') return join(REPOSITORY, 'examples', 'read-in-the-page.html');
    // The folder by the name that the example has for it.
    return join(this.folder, path === '/' ? 'index.html' : path.replace(/^\/page\//, '/'));
  }
}

/** All planes of an acquisition, as text: for each scene its type and shape, and a digest for each plane; or the code of an error. */
export type PlaneDigests = string[];

/** Max planes of a scene that are compared. */
const MAX_PLANES = 12;

/** Opens files in a browser, and reads their planes there. @param path of what is opened @param root folder of all its files */
export async function digestsInPage(
  host: PageHost,
  engine: Engine,
  path: string,
  root = dirname(path),
): Promise<PlaneDigests> {
  const files = filesBelow(root).map((file) => ({ path: toName(root, file), address: host.add(file) }));
  const given = JSON.stringify({ files, name: toName(root, path) });
  return engine.page.evaluate<PlaneDigests>(`(async () => {
    const { openFiles } = await import('/readers.js');
    const { files, name } = ${given};
    const given = await Promise.all(files.map(async ({ path, address }) => ({ path, data: await (await fetch(address)).blob() })));
    const digest = async (samples) => {
      const hash = await crypto.subtle.digest('SHA-256', samples);
      return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('').slice(0, 16);
    };
    const lines = [];
    let scenes = 1;
    for (let S = 0; S < scenes; S++) {
      const choice = scenes > 1 ? { selection: { S } } : {};
      const opened = await openFiles(given, { name, ...choice });
      const { info } = opened;
      scenes = info.source.scenes?.length ?? 1;
      if (scenes > 1 && S === 0) { await opened.close(); }
      const acquisition = scenes > 1 && S === 0 ? await openFiles(given, { name, selection: { S } }) : opened;
      const { header, channels, reference } = acquisition.info;
      const { T = 1, Z = 1 } = header.sizes;
      lines.push([S, header.dtype, ...acquisition.info.plane.shape].join(' '));
      let left = ${MAX_PLANES};
      for (let t = 0; t < T; t++) for (let z = 0; z < Z; z++) for (const { index } of channels) {
        if (left-- <= 0) continue;
        const place = { ...(T > 1 ? { t } : {}), ...(Z > 1 ? { z } : {}) };
        lines.push([t, z, index, await digest(await acquisition.nativePlane(index, place))].join(' '));
      }
      for (const { index } of reference?.channels ?? []) {
        lines.push(['reference', index, await digest(await acquisition.referencePlane(index))].join(' '));
      }
      await acquisition.close();
    }
    return lines;
  })().catch(({ code, message }) => [code ?? message])`);
}

/** Reads the same planes with Node. */
export async function digestsInNode(path: string): Promise<PlaneDigests> {
  return readInNode(path).catch(({ code, message }) => [code ?? message]);
}

async function readInNode(path: string): Promise<PlaneDigests> {
  const opened = await openAcquisition(path);
  const { acquisition } = opened;
  const lines: PlaneDigests = [];
  for (const [S, { sampleType, sizes, channels, reference }] of acquisition.info.scenes.entries()) {
    lines.push([S, sampleType, sizes.Y, sizes.X].join(' '));
    let left = MAX_PLANES;
    for (let t = 0; t < sizes.T; t++) {
      for (let z = 0; z < sizes.Z; z++) {
        for (const channel of channels.keys()) {
          if (left-- <= 0) continue;
          const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
          await acquisition.readPlane({ scene: S, channel, t, z }, target);
          lines.push([t, z, channel, digest(target.data)].join(' '));
        }
      }
    }
    for (const channel of reference?.channels.keys() ?? []) {
      const target = new NativeTarget('float32', reference!.sizes.Y, reference!.sizes.X);
      await acquisition.readReference?.(S, channel, target);
      lines.push(['reference', channel, digest(target.data)].join(' '));
    }
  }
  opened.close();
  return lines;
}

function digest({ buffer, byteOffset, byteLength }: SampleArray): string {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

function toName(root: string, path: string): string {
  return relative(root, path).replaceAll('\\', '/');
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
