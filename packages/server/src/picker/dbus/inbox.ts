import type { Bus } from './bus.js';
import type { Message } from './message.js';

/** Keeps the signals of a connection, because an answer may arrive before the reply that says what to wait for. */
export interface Inbox {
  /** Resolves with the first matching signal, past or future. */
  first(matches: (signal: Message) => boolean): Promise<Message>;
}

export function createInbox(bus: Bus): Inbox {
  const signals: Message[] = [];
  const waiting: ((signal: Message) => void)[] = [];
  bus.onSignal((signal) => {
    signals.push(signal);
    for (const check of waiting) check(signal);
  });
  return {
    first: (matches) =>
      new Promise((resolve) => {
        const check = (signal: Message) => {
          if (matches(signal)) resolve(signal);
        };
        signals.forEach(check);
        waiting.push(check);
      }),
  };
}
