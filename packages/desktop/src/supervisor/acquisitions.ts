import type { BrowserStart } from './browser-start.js';
import { type Handler, PageError } from './http.js';
import type { OpenAcquisition, OpenAcquisitions, Opened } from './protocol.js';
import { toViewer, viewerText } from './viewer-link.js';

/** A session as `--control-with-stdin` lists it; the types are those of the package. */
interface ListedSession extends Omit<OpenAcquisition, 'number' | 'openedBy' | 'canView'> {
  sessionId: string;
  api: 'v1' | 'v2';
  openedBy: { kind: 'program' | 'own-page' | 'trusted-page' | 'file-page'; origin?: string };
}

interface SessionList {
  sessions: ListedSession[];
  usedBytes: number;
  budgetBytes: number;
}

export interface AcquisitionsOptions {
  /** Asks the server over the channel that pages cannot reach. */
  ask: <Answer extends object>(method: string, more?: object) => Promise<Answer>;
  /** Returns the address of the server; nothing while it does not run. */
  url: () => string | undefined;
  /** False while no page would show the list. */
  isShown: () => boolean;
  changed: () => void;
  browser: BrowserStart;
}

const INTERVAL_MS = 2_000;
/** More than a server holds by default. */
const MAX_OWN = 1_000;

/**
 * What the server has open. Pages get numbers: the id of a session is the permission to read it, and a page needs it only
 * in the address of the viewer.
 */
export class Acquisitions {
  private readonly options: AcquisitionsOptions;
  private readonly timer: NodeJS.Timeout;
  /** Numbers by the id of the session. */
  private numbers = new Map<string, number>();
  /** Sessions that this application has opened. */
  private readonly own = new Set<string>();
  private count = 0;
  private sessions: readonly ListedSession[] = [];
  /** Null while the server does not run. */
  list: OpenAcquisitions | null = null;

  constructor(options: AcquisitionsOptions) {
    this.options = options;
    this.timer = setInterval(() => {
      if (options.isShown()) void this.refresh();
    }, INTERVAL_MS);
    this.timer.unref();
  }

  /** Notes a session that the user opened with this application. */
  noteOwn(sessionId: string): void {
    this.own.add(sessionId);
    const [oldest = ''] = this.own;
    if (this.own.size > MAX_OWN) this.own.delete(oldest);
    void this.refresh();
  }

  /** Asks the server, and reports a change. Never fails: a server that hangs is reported elsewhere. */
  async refresh(): Promise<void> {
    const before = JSON.stringify(this.list);
    try {
      if (this.options.url() === undefined) this.take(null);
      else this.take(await this.options.ask<SessionList>('sessions'));
    } catch {
      if (this.options.url() === undefined) this.take(null);
    }
    if (JSON.stringify(this.list) !== before) this.options.changed();
  }

  handlers(): Record<string, Handler> {
    return {
      'POST /api/acquisitions/end': async ({ number }) => {
        const { sessionId } = this.find(number);
        await this.options.ask('end-session', { sessionId });
        await this.refresh();
        return { ok: true };
      },
      'POST /api/acquisitions/view': async ({ number }) => {
        const { sessionId, name } = this.find(number);
        const viewer = toViewer(this.options.url() ?? '', sessionId);
        this.options.browser.show(viewer, viewerText(name));
        return { viewer, name } satisfies Opened;
      },
    };
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private find(number: unknown): ListedSession {
    const found = this.sessions.find(({ sessionId }) => this.numbers.get(sessionId) === number);
    if (!found || this.options.url() === undefined) throw new PageError('ended', 'This acquisition was closed.');
    return found;
  }

  private take(answer: SessionList | null): void {
    this.sessions = answer?.sessions ?? [];
    const ids = this.sessions.map(({ sessionId }) => sessionId);
    this.numbers = new Map(ids.map((id) => [id, this.numbers.get(id) ?? ++this.count]));
    this.list = answer && {
      list: this.sessions.map((session) => this.toPage(session)),
      usedBytes: answer.usedBytes,
      budgetBytes: answer.budgetBytes,
    };
  }

  private toPage(session: ListedSession): OpenAcquisition {
    const { sessionId, name, path, scene, openedAt, expiresAt, planes, bytes } = session;
    return {
      number: this.numbers.get(sessionId) ?? 0,
      ...{ name, path, openedAt, expiresAt, planes, bytes },
      ...(scene ? { scene } : {}),
      openedBy: this.own.has(sessionId) ? { kind: 'window' } : session.openedBy,
      // The viewer opens the file again, in a session of its own. A file that a page sent has no path.
      canView: path !== name && session.api === 'v2',
    };
  }
}
