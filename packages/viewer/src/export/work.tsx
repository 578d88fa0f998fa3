/** Creates files one at a time, and says how far it is. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Job } from './jobs.ts';
import { chooseDestination } from './save.ts';

export interface Work {
  readonly state: Signal<{ readonly text: string; readonly failed: boolean; readonly busy: boolean }>;
  run(job: Job): Promise<void>;
  stop(): void;
}

/** Creates one file at a time. Closing the dialog cancels it. */
export function useWork(): Work {
  const state = useSignal({ text: '', failed: false, busy: false });
  const work = useMemo(() => {
    let running: AbortController | null = null;
    return {
      state,
      stop: () => running?.abort(),
      async run(job: Job) {
        const controller = new AbortController();
        running = controller;
        const destination = await chooseDestination(job.name);
        if (destination === null) return;
        const onProgress = (fraction: number) => {
          const done = fraction > 0 ? `, ${Math.floor(fraction * 100)} %` : '';
          const text = `Creating ${job.name}${done}…`;
          if (text !== state.value.text) state.value = { text, failed: false, busy: true };
        };
        onProgress(0);
        try {
          await destination.write(await job.make(controller.signal, onProgress));
          state.value = { text: `${job.name} was saved.`, failed: false, busy: false };
        } catch (error) {
          const stopped = controller.signal.aborted;
          const text = stopped ? 'Canceled.' : `Not saved: ${(error as Error).message}`;
          state.value = { text, failed: !stopped, busy: false };
        }
      },
    };
  }, [state]);
  useEffect(() => work.stop, [work]);
  return work;
}

export function Progress({ work }: { readonly work: Work }) {
  const { text, failed, busy } = work.state.value;
  return (
    <div class="export-progress">
      <p role="status" class={failed ? 'export-status export-failed' : 'export-status'}>
        {text}
      </p>
      {busy && (
        <button type="button" onClick={work.stop}>
          Cancel
        </button>
      )}
    </div>
  );
}

export function Jobs({ work, jobs }: { readonly work: Work; readonly jobs: readonly Job[] }) {
  return (
    <ul class="export-jobs">
      {jobs.map((job) => (
        <li key={job.id}>
          <button type="button" data-job={job.id} disabled={work.state.value.busy} onClick={() => work.run(job)}>
            {job.label}
          </button>
        </li>
      ))}
    </ul>
  );
}
