import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import type { SupervisorOptions } from '../interfaces.js';
import { Acquisitions } from './acquisitions.js';
import { createAutostart } from './autostart.js';
import { BrowserStart } from './browser-start.js';
import { listFormats } from './formats.js';
import { type Handler, PageError } from './http.js';
import { ServerLog } from './log.js';
import { Opening } from './opening.js';
import { Pages } from './pages.js';
import type { Format, PageState, Settings } from './protocol.js';
import { RecentFiles } from './recent.js';
import { revealFile } from './reveal.js';
import { ServerProcess } from './server-process.js';
import { findFaults, SettingsFile } from './settings.js';
import { writeSupportBundle } from './support-bundle.js';
import { Updates } from './updates.js';

/** What the page can do, by the addresses of its requests. */
export class Controls {
  readonly server: ServerProcess;
  private readonly options: SupervisorOptions;
  private readonly log: ServerLog;
  private readonly settings: SettingsFile;
  private readonly recent: RecentFiles;
  private readonly pages: Pages;
  private readonly acquisitions: Acquisitions;
  readonly opening: Opening;
  readonly updates: Updates;
  private readonly autostart;
  /** Revision of the settings file that the running server was started with. */
  private startedWith = '';
  /** Read once: they belong to the program. */
  private formats: Promise<Format[]> | undefined;

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
    const browser = new BrowserStart({ onViewer: options.onViewer, pages: this.pages, log: this.log });
    this.acquisitions = new Acquisitions({
      ask: (method, more) => this.server.ask(method, more),
      url: () => (this.server.state.name === 'running' ? this.server.state.url : undefined),
      isShown: () => this.pages.count > 0,
      changed: () => this.update(),
      browser,
    });
    const { server, settings, recent, acquisitions, pages, log } = this;
    const changed = () => void this.update();
    this.updates = new Updates({
      file: join(dirname(options.settingsFile), 'desktop.json'),
      version: options.version,
      changed,
      browser,
    });
    this.opening = new Opening({ ...options, server, settings, recent, acquisitions, pages, browser, log, changed });
  }

  /** Sends a page its events until it disconnects. */
  listen(response: ServerResponse): void {
    this.pages.add(response, [
      { kind: 'state', state: this.state() },
      { kind: 'log', lines: [...this.log.last] },
    ]);
  }

  async stop(): Promise<void> {
    this.acquisitions.stop();
    this.updates.stop();
    await this.server.end();
    this.pages.close();
  }

  handlers(): Record<string, Handler> {
    return {
      ...this.acquisitions.handlers(),
      ...this.opening.handlers(),
      ...this.updates.handlers(),
      'POST /api/start': () => this.start(),
      'POST /api/stop': () => this.server.stop().then(done),
      'POST /api/restart': async () => {
        await this.server.stop();
        return this.start();
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

  private saveSettings(body: object): object {
    const faults = findFaults(body);
    const [message] = Object.values(faults);
    if (message !== undefined) throw new PageError('invalid_settings', message, { faults });
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
      updates: this.updates.state,
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
