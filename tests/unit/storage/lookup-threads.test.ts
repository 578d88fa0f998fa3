import { expect, it } from 'vitest';
import { LookupThreads } from '../../../packages/server/src/storage/lookup-threads.js';
import type { LookupReply, LookupRequest } from '../../../packages/server/src/storage/protocol.js';

it('starts no thread for look-ups that wait when it closes', async () => {
  let started = 0;
  const threads = new LookupThreads(() => {
    started++;
    let end: (error: Error) => void = () => {};
    return {
      run: (_, begin) =>
        new Promise<LookupReply>((_resolve, reject) => {
          end = reject;
          begin();
        }),
      close: async () => end(new Error('the thread has ended')),
    };
  });
  const request = {} as LookupRequest;
  const lookups = [1, 2, 3].map(() => threads.run(request, () => {}));
  const settled = Promise.allSettled(lookups);
  await threads.close();
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(started).toBe(2);
}, 3_000);
