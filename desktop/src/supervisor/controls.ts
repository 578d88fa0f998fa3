import { realpathSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { SupervisorOptions } from '../interfaces.js';
import { Acquisitions } from './acquisitions.js';
import { createAutostart } from './autostart.js';
import { listFormats } from './formats.js';
import { type Handler, PageError } from './http.js';
import { ServerLog } from './log.js';
import { Pages } from './pages.js';
import type { Format, Opened, PageState, Settings } from './protocol.js';
import { RecentFiles } from './recent.js';
import { revealFile } from './reveal.js';
import { ServerProcess } from './server-process.js';
import { findFaults, SettingsFile } from './settings.js';
import { writeSupportBundle } from './support-bundle.js';
import { type OpenedFile, openByPath, openPicked } from './viewer-link.js';

/** What the page can do, by the addresses of its requests. */
export class Controls {
  readonly server: ServerProcess;
  private readonly options: SupervisorOptions;
  private readonly log: ServerLog;
  private readonly settings: SettingsFile;
  private readonly recent: RecentFiles;
  private readonly pages: Pages;
  private readonly acquisitions: Acquisitions;
  private readonly autostart;
  /** Revision of the settings file that the running server was started with. */
  private startedWith = '';
  /** Read once: they belong to the program. */
  private formats: Promise<Format[]> | undefined;
  /** A viewer that no page could open yet. */
  private waitingViewer: string | undefined;

  constructor(options: SupervisorOptions) {
    this.options = options;
    this.log = new ServerLog(options.logFile);
    this.settings = new SettingsFile(options.settingsFile);
    this.recent = new RecentFiles(join(options.stateDir, 'desktop-recent.json'));
    this.pages = new Pages((count) => {
      options.onPages?.(count);
      if (count > 0) void this.acquisitions.refresh();
    });
    this.autostart = createAutostart(options.startCommand);
    this.log.onLines((lines) => this.pages.send({ kind: 'log', lines }));
    this.server = new ServerProcess({
      program: options.serverProgram,
      stateDir: options.stateDir,
      settingsFile: options.settingsFile,
      log: this.log,
      port: () => this.settings.settings.port,
      changed: () => {
        if (this.server.state.name === 'starting') {
          this.settings.read();
          this.startedWith = this.settings.revision;
        }
        this.update();
        void this.acquisitions.refresh();
      },
    });
    this.acquisitions = new Acquisitions({
      ask: (method, more) => this.server.ask(method, more),
      url: () => (this.server.state.name === 'running' ? this.server.state.url : undefined),
      isShown: () => this.pages.count > 0,
      changed: () => this.update(),
      onViewer: options.onViewer,
    });
  }

  /** Sends a page its events until it disconnects. */
  listen(response: ServerResponse): void {
    const viewer = this.waitingViewer;
    this.waitingViewer = undefined;
    this.pages.add(response, [
      { kind: 'state', state: this.state() },
      { kind: 'log', lines: [...this.log.last] },
      ...(viewer === undefined ? [] : [{ kind: 'viewer', url: viewer } as const]),
    ]);
  }

  /** Opens a file that was handed to the application, and shows it. Problems are shown by the page. */
  async openForApplication(path: string): Promise<void> {
    try {
      const opened = await this.openPath(path);
      if (this.options.onViewer) return;
      if (this.pages.count > 0) this.pages.send({ kind: 'viewer', url: opened.viewer });
      else this.waitingViewer = opened.viewer;
    } catch (error) {
      const message = (error as Error).message;
      this.log.add('error', message);
      this.pages.send({ kind: 'notice', message });
      this.options.onFocusRequest?.();
    }
  }

  async stop(): Promise<void> {
    this.acquisitions.stop();
    await this.server.stop();
    this.pages.close();
  }

  handlers(): Record<string, Handler> {
    return {
      ...this.acquisitions.handlers(),
      'POST /api/start': () => this.start(),
      'POST /api/stop': () => this.server.stop().then(done),
      'POST /api/restart': async () => {
        await this.server.stop();
        return this.start();
      },
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
      'POST /api/viewer': async () => {
        const viewer = `${await this.runningUrl()}/demo/v2/`;
        this.options.onViewer?.(viewer);
        return { viewer, name: '' } satisfies Opened;
      },
      'POST /api/recent/clear': async () => {
        this.recent.clear();
        return this.update();
      },
      'POST /api/settings': async (body) => this.saveSettings(body),
      'POST /api/start-at-login': async ({ enabled }) => {
        this.autostart.set(enabled === true);
        return this.update();
      },
      'POST /api/formats': async () => {
        this.formats ??= listFormats(this.options.serverProgram);
        return { formats: await this.formats };
      },
      'POST /api/support-bundle': async ({ inspected }) => {
        const { serverProgram: program, stateDir } = this.options;
        const file = this.recent.list.find(({ path }) => path === inspected)?.path ?? '';
        const settingsText = this.settings.revision;
        return {
          path: await writeSupportBundle({ program, stateDir, state: this.state(), settingsText, inspected: file }),
        };
      },
      'POST /api/log/reveal': () => revealFile(this.log.path).then(done),
      'POST /api/quit': async () => {
        // After the answer, which the page would miss.
        setTimeout(() => this.options.onQuit?.(), 50);
        return done();
      },
    };
  }

  private async start(): Promise<object> {
    // A failure is part of the state.
    await this.server.start().catch(() => {});
    return done();
  }

  /** Returns the address of the server, and starts it first where it is stopped. */
  private async runningUrl(): Promise<string> {
    await this.server.start();
    const { state } = this.server;
    if (state.name !== 'running') throw new PageError('stopped', 'The server is not running.');
    return state.url;
  }

  private async openPath(path: string, signal?: AbortSignal): Promise<OpenedFile> {
    const opened = await openByPath(await this.runningUrl(), toRealPath(path), signal);
    this.shown(opened);
    return opened;
  }

  private shown(opened: OpenedFile): void {
    this.recent.add(opened.path);
    this.acquisitions.noteOwn(opened.sessionId);
    this.update();
    this.options.onViewer?.(opened.viewer);
  }

  private saveSettings(body: object): object {
    const faults = findFaults(body);
    const [message] = Object.values(faults);
    if (message !== undefined) throw new PageError('invalid_settings', message, faults);
    this.settings.save(body as Settings);
    return this.update();
  }

  private update(): object {
    this.pages.send({ kind: 'state', state: this.state() });
    return done();
  }

  private state(): PageState {
    const { version, settingsFile, onQuit, onViewer } = this.options;
    const server = this.server.state;
    return {
      version,
      server,
      settings: this.settings.settings,
      restartNeeded: server.name === 'running' && this.startedWith !== this.settings.revision,
      settingsProblem: this.settings.problem,
      recent: this.recent.list,
      open: this.acquisitions.list,
      startAtLogin: this.autostart.state(),
      logFile: this.log.path,
      settingsFile,
      canQuit: onQuit !== undefined,
      opensViewer: onViewer !== undefined,
    };
  }
}

function done(): object {
  return { ok: true };
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
