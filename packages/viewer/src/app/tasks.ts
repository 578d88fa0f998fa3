/** Long tasks (opening, transferring) with their progress, which can be canceled. */
import { type Signal, signal } from '@preact/signals';

export interface Task {
  readonly id: number;
  readonly label: Signal<string>;
  /** In bytes; null while the total is unknown. */
  readonly progress: Signal<{ readonly received: number; readonly total: number } | null>;
  readonly signal: AbortSignal;
  cancel(): void;
}

export interface Tasks {
  readonly list: Signal<readonly Task[]>;
  /** Runs `work`. The task is in the list until it has ended. */
  run<T>(label: string, work: (task: Task) => Promise<T>): Promise<T>;
}

export function createTasks(): Tasks {
  const list = signal<readonly Task[]>([]);
  let last = 0;
  return {
    list,
    async run(label, work) {
      const controller = new AbortController();
      last += 1;
      const task: Task = {
        id: last,
        label: signal(label),
        progress: signal(null),
        signal: controller.signal,
        cancel: () => controller.abort(),
      };
      list.value = [...list.value, task];
      try {
        return await work(task);
      } finally {
        list.value = list.value.filter((other) => other !== task);
      }
    },
  };
}
