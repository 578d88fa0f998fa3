import { expect, it } from 'vitest';
import { JobQueue } from '../../../packages/viewer/src/model/job-queue.ts';

it('jobs run one at a time, in order, and go on after one that fails', async () => {
  const queue = new JobQueue();
  const log: string[] = [];
  const job = (name: string, fails = false) =>
    queue.add(async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([job('first'), job('second', true), job('third')]);
  expect(log).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
    'first',
    'failed',
    'third',
  ]);
});

it('a job is not waited for, and not run, when it is canceled before its turn', async () => {
  const queue = new JobQueue();
  const stop = new AbortController();
  let end = () => {};
  const first = queue.add(() => new Promise<string>((resolve) => (end = () => resolve('first'))));
  let runs = 0;
  const job = async () => {
    runs += 1;
  };
  const second = queue.add(job, stop.signal);
  const third = queue.add(async () => 'third', new AbortController().signal);
  stop.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  await expect(queue.add(job, stop.signal)).rejects.toThrow('enough');
  end();
  expect(await Promise.all([first, third])).toEqual(['first', 'third']);
  expect(runs).toBe(0);
});

it('a job that has begun runs to its end, even when its signal is aborted', async () => {
  const stop = new AbortController();
  const job = new JobQueue().add(async () => {
    stop.abort();
    return 'done';
  }, stop.signal);
  expect(await job).toBe('done');
});
