import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often a starting browser is asked for its window. */
const ASK_MS = 50;
const START_MS = 20_000;

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

interface PendingCommand {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** Speaks the Chrome DevTools Protocol over a pipe, in which a zero ends each message. */
export class DevTools {
  private readonly to: Writable;
  private readonly calls = new Map<number, PendingCommand>();
  private lastId = 0;
  private rest = '';

  constructor(to: Writable, from: Readable) {
    this.to = to;
    to.on('error', () => {});
    from.on('error', () => {});
    from.setEncoding('utf8').on('data', (text: string) => this.receive(text));
    from.on('close', () => this.fail(new Error('the browser has closed the connection')));
  }

  /** @param session of a page; the browser itself answers when omitted */
  call<T>(method: string, params: object = {}, session?: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.calls.set(id, { resolve, reject });
      this.to.write(`${JSON.stringify({ id, method, params, ...(session && { sessionId: session }) })}\0`);
    });
  }

  /** Returns the target of the first page, once there is one. @throws when the browser shows none */
  async firstPage(): Promise<string> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const { targetInfos } = await this.call<{ targetInfos: { targetId: string; type: string }[] }>(
        'Target.getTargets',
      );
      const page = targetInfos.find(({ type }) => type === 'page');
      if (page) return page.targetId;
      if (performance.now() > deadline) throw new Error('the browser has not shown its window');
      await sleep(ASK_MS);
    }
  }

  private receive(text: string): void {
    const messages = (this.rest + text).split('\0');
    this.rest = messages.pop()!;
    for (const message of messages) this.settle(JSON.parse(message) as Answer);
  }

  private settle({ id, result, error }: Answer): void {
    if (id === undefined) return;
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result as never);
  }

  private fail(error: Error): void {
    for (const { reject } of this.calls.values()) reject(error);
    this.calls.clear();
  }
}
