import type { SupervisorOptions } from '../interfaces.js';
import type { ServerLog } from './log.js';
import type { Pages } from './pages.js';

/** A program that opens addresses and has not failed until then has started the browser: some last as long as it does. */
const STARTED_MS = 3_000;

export interface BrowserStartOptions {
  onViewer: SupervisorOptions['onViewer'];
  pages: Pick<Pages, 'tell'>;
  log: ServerLog;
}

/** Opens addresses in the browser of the user, and tells the pages how it went. */
export class BrowserStart {
  private readonly options: BrowserStartOptions;

  constructor(options: BrowserStartOptions) {
    this.options = options;
  }

  /** False when the pages have to open addresses themselves. */
  get isAvailable(): boolean {
    return this.options.onViewer !== undefined;
  }

  /** @param text what to say once the browser has started; empty for nothing */
  show(url: string, text: string): void {
    const { onViewer, pages, log } = this.options;
    if (!onViewer) return;
    let said = false;
    const say = () => {
      if (!said && text !== '') pages.tell({ kind: 'shown', text });
      said = true;
    };
    const timer = setTimeout(say, STARTED_MS);
    onViewer(url).then(
      () => {
        clearTimeout(timer);
        say();
      },
      (error: Error) => {
        clearTimeout(timer);
        log.add('error', `The browser did not start: ${error.message}`);
        pages.tell({ kind: 'not-shown', url, problem: error.message });
      },
    );
  }
}
