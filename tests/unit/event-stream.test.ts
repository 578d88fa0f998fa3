import { expect, it } from 'vitest';
import { EventStream } from '../../packages/server/src/server/event-stream.js';

const eventsIn = (text: string) =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name, data]) => [name, data]);

async function readAll(stream: EventStream): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

it('keeps only the last event for a client that does not read', async () => {
  const stream = new EventStream();
  for (let n = 0; n < 10_000; n++) {
    stream.send('changed', { n });
    stream.comment('alive');
  }
  expect(stream.readableLength).toBeLessThan(5_000);
  const iterator = stream[Symbol.asyncIterator]();
  let text = '';
  while (!text.includes('9999')) text += (await iterator.next()).value;
  expect(eventsIn(text).length).toBeLessThan(200);
  stream.finish('ended', {});
  text += (await iterator.next()).value;
  expect(eventsIn(text).at(-1)).toEqual(['ended', '{}']);
  expect((await iterator.next()).done).toBe(true);
});

it('ends after the last event, also for a client that has not read the others', async () => {
  const stream = new EventStream();
  for (let n = 0; n < 1_000; n++) stream.send('changed', { n });
  stream.finish('ended', {});
  stream.send('changed', { n: 'late' });
  stream.comment('late');
  const text = await readAll(stream);
  expect(eventsIn(text).at(-1)).toEqual(['ended', '{}']);
  expect(text).not.toContain('late');
});
