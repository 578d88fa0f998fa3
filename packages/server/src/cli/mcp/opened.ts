/** The acquisitions that are open: sessions of the server under short names, because the id of a session is a secret. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { ServerLink } from './link.js';
import { ToolError } from './tool-error.js';

export interface Opened {
  /** What tools call it. */
  id: string;
  /** Address of the session below that of the API. */
  path: string;
  /** Rows and columns of each plane. */
  shape: [rows: number, columns: number];
  /** Size of each dimension. */
  sizes: Record<string, number>;
}

export const MAX_OPEN = 16;
/** Time limit for ending a session. */
export const CLOSE_MS = 3_000;
/** Timers of Node run at once when they should wait for weeks. */
const MAX_RENEWAL_MS = 10 * 60_000;

export class OpenedAcquisitions {
  private readonly link: ServerLink;
  private readonly byId = new Map<string, Opened>();
  private opening = 0;
  private count = 0;
  private renewal: { every: number; timer: NodeJS.Timeout } | undefined;

  constructor(link: ServerLink) {
    this.link = link;
  }

  /** Opens and keeps an acquisition. @throws ToolError `too_many_open`; errors of the link */
  async open(body: object, signal: AbortSignal): Promise<{ opened: Opened; info: OpenResponse }> {
    if (this.byId.size + this.opening >= MAX_OPEN) {
      const text = `${MAX_OPEN} acquisitions are open, which is the limit. Close one that you no longer need.`;
      throw new ToolError('too_many_open', text);
    }
    this.opening++;
    try {
      await this.renewInTime(signal);
      const info = await this.link.json<OpenResponse>('/open', { method: 'POST', body, signal });
      const opened = toOpened(`a${++this.count}`, info);
      this.byId.set(opened.id, opened);
      return { opened, info };
    } finally {
      this.opening--;
    }
  }

  /** @throws ToolError `acquisition_not_open` */
  find(id: string): Opened {
    const opened = this.byId.get(id);
    if (opened) return opened;
    const known = [...this.byId.keys()].map((name) => `"${name}"`).join(', ');
    const text = known === '' ? 'None is open.' : `Open ones: ${known}.`;
    throw new ToolError('acquisition_not_open', `\`acquisition\` is not the name of an open acquisition. ${text}`);
  }

  /** Ends a session. */
  async close({ id, path }: Opened, signal: AbortSignal = AbortSignal.timeout(CLOSE_MS)): Promise<void> {
    this.byId.delete(id);
    await this.link.json(path, { method: 'DELETE', signal });
  }

  /** Forgets a session that the server has ended. */
  forget(id: string): void {
    this.byId.delete(id);
  }

  /** Ends all sessions. Never throws: those that remain expire. */
  async closeAll(): Promise<void> {
    clearInterval(this.renewal?.timer);
    await Promise.all([...this.byId.values()].map((opened) => this.close(opened).catch(() => {})));
  }

  /** Renews sessions well before they expire, because reading does not extend their life. */
  private async renewInTime(signal: AbortSignal): Promise<void> {
    const { sessionTtlSeconds } = await this.link.json<{ sessionTtlSeconds: number }>('/capabilities', { signal });
    const every = Math.min((sessionTtlSeconds * 1000) / 3, MAX_RENEWAL_MS);
    if (every === this.renewal?.every) return;
    clearInterval(this.renewal?.timer);
    const timer = setInterval(() => this.renewAll(), every);
    timer.unref();
    this.renewal = { every, timer };
  }

  private renewAll(): void {
    for (const { path } of this.byId.values()) {
      const call = { method: 'POST', body: {}, signal: AbortSignal.timeout(CLOSE_MS) } as const;
      // One that has ended is reported by the next tool that needs it.
      void this.link.json(`${path}/renew`, call).catch(() => {});
    }
  }
}

function toOpened(id: string, { sessionId, plane, header }: OpenResponse): Opened {
  const [rows = 1, columns = 1] = plane.shape;
  return { id, path: `/sessions/${sessionId}`, shape: [rows, columns], sizes: header.sizes };
}
