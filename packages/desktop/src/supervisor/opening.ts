import { existsSync, realpathSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import type { SupervisorOptions } from '../interfaces.js';
import type { Acquisitions } from './acquisitions.js';
import type { BrowserStart } from './browser-start.js';
import { type Handler, PageError } from './http.js';
import { ServerError } from './image-server.js';
import { likelyFolders, locate, readDropped } from './locate.js';
import type { ServerLog } from './log.js';
import type { Pages } from './pages.js';
import type { Opened } from './protocol.js';
import type { RecentFiles } from './recent.js';
import { findOutside, isFolder } from './roots.js';
import type { ServerProcess } from './server-process.js';
import { findFaults, type SettingsFile } from './settings.js';
import { type OpenedFile, openByPath, openPicked, viewerText } from './viewer-link.js';

export interface OpeningOptions extends Pick<SupervisorOptions, 'onFocusRequest'> {
  server: ServerProcess;
  settings: SettingsFile;
  recent: RecentFiles;
  acquisitions: Acquisitions;
  pages: Pages;
  browser: BrowserStart;
  log: ServerLog;
  /** Called after a change of what the page shows. */
  changed: () => void;
}

/** Opens acquisitions in the server, which is started first where it is stopped. */
export class Opening {
  private readonly options: OpeningOptions;

  constructor(options: OpeningOptions) {
    this.options = options;
  }

  /** Opens a file that was handed to the application, and shows it. Problems are shown by the page. */
  async openForApplication(path: string): Promise<void> {
    const { browser, pages } = this.options;
    try {
      const opened = await this.openPath(path);
      if (!browser.isAvailable) pages.tell({ kind: 'viewer', url: opened.viewer });
    } catch (error) {
      const { message } = error as Error;
      const outside = error instanceof PageError ? error.details.outside : undefined;
      this.options.log.add('error', message);
      pages.tell({ kind: 'notice', message, ...(outside ? { outside } : {}) });
      this.options.onFocusRequest?.();
    }
  }

  handlers(): Record<string, Handler> {
    return {
      'POST /api/open': async ({ path }, signal) => {
        if (typeof path !== 'string' || path === '') throw new PageError('invalid_body', 'Enter the path of a file.');
        return toOpened(await this.openPath(path, signal));
      },
      'POST /api/pick': async ({ kind }, signal) => {
        const url = await this.runningUrl();
        const opened = await openPicked(url, kind === 'folder' ? 'folder' : 'file', signal);
        if (opened) this.shown(opened);
        return toOpened(opened);
      },
      'POST /api/locate': async (body, signal) => {
        const file = readDropped(body);
        const { recent, settings } = this.options;
        const folders = likelyFolders(recent.list, settings.settings.roots);
        return { path: (await locate(file, folders, await this.runningUrl(), signal)) ?? null };
      },
      'POST /api/allow-folder': async ({ folder, path }, signal) => {
        if (typeof folder !== 'string' || typeof path !== 'string')
          throw new PageError('invalid_body', 'Which folder?');
        await this.allow(folder);
        return toOpened(await this.openPath(path, signal));
      },
      'POST /api/viewer': async () => {
        const viewer = `${await this.runningUrl()}/demo/v2/`;
        this.options.browser.show(viewer, 'The viewer is open.');
        return { viewer, name: '' } satisfies Opened;
      },
    };
  }

  /** Adds a folder to the settings, and restarts the server with them. */
  private async allow(folder: string): Promise<void> {
    const { settings, server, changed } = this.options;
    if (!isAbsolute(folder) || !isFolder(folder)) throw new PageError('not_found', `${folder} is not a folder.`);
    settings.read();
    const { roots } = settings.settings;
    // Without folders every file may be opened already.
    const next = { ...settings.settings, roots: [...new Set([...roots, ...(roots.length > 0 ? [folder] : [])])] };
    const [fault = settings.problem] = Object.values(findFaults(next));
    if (fault !== '') throw new PageError('invalid_settings', fault);
    settings.save(next);
    changed();
    await server.stop();
    await server.start();
  }

  /** Returns the address of the server, and starts it first where it is stopped. */
  private async runningUrl(): Promise<string> {
    const { server } = this.options;
    await server.start();
    if (server.state.name !== 'running') throw new PageError('stopped', 'The server is not running.');
    return server.state.url;
  }

  private async openPath(given: string, signal?: AbortSignal): Promise<OpenedFile> {
    const path = toRealPath(given);
    const url = await this.runningUrl();
    const opened = await openByPath(url, path, signal).catch((error: unknown) => {
      throw this.explain(error, path);
    });
    this.shown(opened);
    return opened;
  }

  /** Returns an error with the folder to allow, where the settings are the reason. */
  private explain(error: unknown, path: string): unknown {
    if (!(error instanceof ServerError) || error.code !== 'path_not_allowed') return error;
    const { settings } = this.options.settings;
    const outside = findOutside(path, settings.roots);
    if (!outside || !existsSync(path)) return error;
    const message = `${basename(path)} is in ${outside.folder}, outside the folders that may be opened.`;
    return new PageError('outside_folders', message, { outside });
  }

  private shown(opened: OpenedFile): void {
    const { recent, acquisitions, changed, browser } = this.options;
    recent.add(opened.path);
    acquisitions.noteOwn(opened.sessionId);
    changed();
    browser.show(opened.viewer, viewerText(opened.name));
  }
}

function toOpened(opened: OpenedFile | null): Opened {
  return { viewer: opened?.viewer ?? null, name: opened?.name ?? '' };
}

/** Returns the path without links; the server reports one that does not exist. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
