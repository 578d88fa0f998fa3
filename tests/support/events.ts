/** A client of server-sent events over `fetch`. */
export interface SentEvent {
  event: string;
  data: Record<string, unknown>;
}

export class EventReader {
  readonly response: Response;
  /** Everything that has arrived. */
  text = '';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest = '';

  constructor(response: Response) {
    this.response = response;
    this.#reader = response.body!.getReader();
  }

  static async open(url: string, init: RequestInit = {}): Promise<EventReader> {
    return new EventReader(await fetch(url, init));
  }

  /** Waits for the next event; `undefined` at the end of the answer. */
  async next(): Promise<SentEvent | undefined> {
    for (;;) {
      const block = await this.#block();
      if (block === undefined) return undefined;
      if (block.startsWith(':')) continue;
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    }
  }

  /** Waits for a comment, which nothing but time brings. */
  async comment(): Promise<string> {
    for (;;) {
      const block = await this.#block();
      if (block === undefined) throw new Error('the answer has ended');
      if (block.startsWith(':')) return block;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return block;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      const part = new TextDecoder().decode(value);
      this.text += part;
      this.#rest += part;
    }
  }
}
