import type { Bus } from './bus.js';
import type { Message } from './message.js';

/** The signals that have arrived at a connection: an answer may overtake the reply that says what to wait for. */
export interface Inbox {
  /** The first signal, past or future, that matches. */
  first(matches: (signal: Message) => boolean): Promise<Message>;
}

export function createInbox(bus: Bus): Inbox {
  const signals: Message[] = [];
  const waiting: ((signal: Message) => void)[] = [];
  bus.onSignal((signal) => {
    signals.push(signal);
    for (const look of waiting) look(signal);
  });
  return {
    first: (matches) =>
      new Promise((resolve) => {
        const look = (signal: Message) => {
          if (matches(signal)) resolve(signal);
        };
        signals.forEach(look);
        waiting.push(look);
      }),
  };
}
