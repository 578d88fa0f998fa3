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
