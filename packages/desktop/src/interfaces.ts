/** What the parts of the desktop application know of each other: `main.ts` connects the supervisor with the window. */

/** How to start the image server as a child process. */
export interface ServerProgram {
  command: string;
  /** End with the command `serve`: the supervisor appends its flags. */
  args: readonly string[];
  /** Added to the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

export interface SupervisorOptions {
  serverProgram: ServerProgram;
  /** Folder for the state of this user's programs. It exists, and only this user can read it. */
  stateDir: string;
  /** JSON file with the settings of `acqstore serve`; the page writes it. It may not exist yet. */
  settingsFile: string;
  /** Log of the image server. It may not exist yet. */
  logFile: string;
  version: string;
  /** Absolute path of an acquisition to open once the server runs. */
  openAtStart?: string;
  /** Returns a file of the page by its name below `packages/desktop/page/dist/`, such as `index.html`. */
  assets: (name: string) => Uint8Array | undefined;
  /**
   * Called with the address of the viewer when an acquisition was opened, and with that of a website when the user follows a
   * link. Rejects when the browser did not start. Without it the page opens the address itself, which browsers may block.
   */
  onViewer?: (url: string) => Promise<void>;
  /** Program and arguments that start this application, for its start at login. Without it that cannot be set. */
  startCommand?: readonly string[];
  /** Called when the page wants the window in front, for example for a question. */
  onFocusRequest?: () => void;
  /** Called once, when the user chooses Quit on the page. */
  onQuit?: () => void;
  /** Called when the number of pages that are connected changes: a page in a browser has no other way to say goodbye. */
  onPages?: (count: number) => void;
}

/** The control page, and the image server that it starts and stops. */
export interface Supervisor {
  /** Address of the control page, with the token of this start. */
  readonly url: string;
  /** Opens an acquisition by its absolute path, and starts the server first where it is stopped. */
  openFile(path: string): Promise<void>;
  /** Ends the image server and the page. Resolves when the child process has ended. */
  stop(): Promise<void>;
}

export type StartSupervisor = (options: SupervisorOptions) => Promise<Supervisor>;

/** What shows the window: the program of our own, a Chromium-family browser without its bars, or a tab of any browser. */
export type WindowKind = 'shell' | 'chromium' | 'browser';

export interface WindowOptions {
  title: string;
  /** Folder for the profile of the browser window. */
  stateDir: string;
  /** Path of hvshell, the program of our own. It may not exist. */
  shell?: string;
  /** Opens a page in the browser of the user, by its absolute path. Rejects when that is not possible. */
  openPage: (path: string) => Promise<void>;
}

/** A window that shows one page. */
export interface AppWindow {
  readonly kind: WindowKind;
  /** Resolves when the user has closed the window. Never resolves for a tab of a browser, which nobody can watch. */
  readonly closed: Promise<void>;
  /** Brings the window to the front. */
  focus(): void;
  /** Closes the window. Resolves when its process has ended. */
  close(): Promise<void>;
}

export type ShowWindow = (url: string, options: WindowOptions) => Promise<AppWindow>;
