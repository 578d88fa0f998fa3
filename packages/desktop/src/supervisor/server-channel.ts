/** Requests to the image server over its standard streams, which no other program and no page can reach. */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** The server answers at once, unless it hangs. */
const ANSWER_MS = 3_000;

interface PendingAnswer {
  resolve(answer: object): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export class ServerChannel {
  private readonly output: Writable;
  private readonly waiting = new Map<number, PendingAnswer>();
  private count = 0;
  private isOpen = true;

  /** @param output standard input of the server @param input its standard output */
  constructor(output: Writable, input: Readable) {
    this.output = output;
    const lines = createInterface({ input });
    lines.on('line', (line) => this.take(line));
    lines.on('close', () => this.end());
  }

  /** @throws Error when the server does not answer */
  ask<Answer extends object>(method: string, more: object = {}): Promise<Answer> {
    if (!this.isOpen) return Promise.reject(new Error('The server is not running.'));
    const id = ++this.count;
    return new Promise<object>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error('The server does not answer.'));
      }, ANSWER_MS);
      this.waiting.set(id, { resolve, reject, timer });
      this.output.write(`${JSON.stringify({ id, method, ...more })}\n`);
    }) as Promise<Answer>;
  }

  private take(line: string): void {
    const answer = readAnswer(line);
    const id = Number(answer?.['id']);
    const waiting = this.waiting.get(id);
    if (!answer || !waiting) return;
    this.waiting.delete(id);
    clearTimeout(waiting.timer);
    if (answer['ok'] === true) waiting.resolve(answer);
    else waiting.reject(new Error(String(answer['message'])));
  }

  private end(): void {
    this.isOpen = false;
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new Error('The server has ended.'));
    }
    this.waiting.clear();
  }
}

function readAnswer(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
