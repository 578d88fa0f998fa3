/** The desktop application: the supervisor and its window, from the first to the last. */
import { mkdirSync } from 'node:fs';
import type {
  AppWindow,
  ShowWindow,
  StartSupervisor,
  Supervisor,
  SupervisorOptions,
  WindowOptions,
} from './interfaces.js';
import { runtimeFolder } from './private-folder.js';
import { claimInstance } from './single-instance.js';

const TITLE = 'Acquisition Store';
/** Nobody can watch a tab of a browser: without a page for this long, the user has closed it. */
const WITHOUT_PAGE_MS = 15_000;

export interface Application extends Omit<SupervisorOptions, 'openAtStart' | 'onFocusRequest' | 'onQuit' | 'onPages'> {
  /** Absolute path of an acquisition to open. */
  file: string | undefined;
  /** Path of hvshell. */
  shell: string;
  openPage: WindowOptions['openPage'];
  startSupervisor: StartSupervisor;
  showWindow: ShowWindow;
}

/**
 * Shows the window until it is closed, the user chooses Quit, or a signal comes; then ends everything. When a window of this
 * user is open, brings that to the front and gives it the file instead.
 * @returns false when another window has taken over
 */
export async function runApplication(application: Application): Promise<boolean> {
  const { file, shell, openPage, startSupervisor, showWindow, ...options } = application;
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const ending = new Ending();
  let supervisor: Supervisor | undefined;
  let window: AppWindow | undefined;
  const openFile = (path: string) => void supervisor?.openFile(path).catch(() => {});
  const early: string[] = [];
  const instance = await claimInstance(
    runtimeFolder(options.stateDir),
    file === undefined ? {} : { file },
    (handover) => {
      window?.focus();
      if (handover.file === undefined) return;
      if (supervisor) openFile(handover.file);
      else early.push(handover.file);
    },
  );
  if (!instance) return false;
  try {
    supervisor = await startSupervisor({
      ...options,
      ...(file === undefined ? {} : { openAtStart: file }),
      onFocusRequest: () => window?.focus(),
      onQuit: () => ending.end(),
      onPages: (count) => window?.kind === 'browser' && ending.notePages(count),
    });
    for (const path of early) openFile(path);
    window = await showWindow(supervisor.url, { title: TITLE, stateDir: options.stateDir, shell, openPage });
    await Promise.race([window.closed, ending.ended]);
    return true;
  } finally {
    ending.forget();
    // Another start may begin now: it must not hand over to a window that is closing.
    await instance.release();
    await Promise.all([window?.close(), supervisor?.stop()]);
  }
}

/** Notices what ends the application besides its window. */
class Ending {
  readonly ended: Promise<void>;
  #end!: () => void;
  #timer: NodeJS.Timeout | undefined;
  readonly #onSignal = () => this.end();

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, this.#onSignal);
  }

  end(): void {
    this.#end();
  }

  /** Ends some time after the last page has left, which may only have been loaded anew. */
  notePages(count: number): void {
    clearTimeout(this.#timer);
    if (count === 0) this.#timer = setTimeout(this.#end, WITHOUT_PAGE_MS);
  }

  forget(): void {
    clearTimeout(this.#timer);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, this.#onSignal);
  }
}
