import { expect, it, vi } from 'vitest';
import { type Progress, readSamples, toSamples } from '../../packages/client/src/plane-body.js';

/** 1.0, -2.5 and 1e10 as IEEE 754 little-endian, by hand. */
const BYTES = Uint8Array.of(0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x20, 0xc0, 0xf9, 0x02, 0x15, 0x50);
const SAMPLES = Float32Array.of(1, -2.5, 1e10);

/** A body that arrives in parts of these lengths. */
function inParts(lengths: number[], bytes = BYTES): Response {
  let at = 0;
  const parts = lengths.map((length) => {
    at += length;
    return bytes.slice(at - length, at);
  });
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    }),
  );
}

const body = { name: 'CH1', total: 12 };

it('joins parts of any size', async () => {
  for (const lengths of [[12], [1, 2, 3, 6], [0, 5, 7], [11, 1]]) {
    expect(await readSamples(inParts(lengths), body)).toEqual(SAMPLES);
  }
});

it('reports the progress at most about 100 times, and its end once', async () => {
  const seen: Progress[] = [];
  const bytes = new Uint8Array(40_000);
  const parts = Array.from({ length: 4000 }, () => 10);
  await readSamples(inParts(parts, bytes), { name: 'CH1', total: 40_000, onProgress: (one) => seen.push(one) });
  expect(seen).toHaveLength(100);
  expect(seen[0]).toEqual({ received: 400, total: 40_000 });
  expect(seen.filter(({ received }) => received === 40_000)).toHaveLength(1);
  expect(seen.at(-1)).toEqual({ received: 40_000, total: 40_000 });
});

it('extracts a part of a whole body', async () => {
  const window = { start: 4, length: 4 };
  for (const lengths of [[12], [4, 4, 4], [5, 1, 6], [2, 3, 7]]) {
    expect(await readSamples(inParts(lengths), { ...body, window })).toEqual(SAMPLES.slice(1, 2));
  }
});

it('works when bodies cannot be streamed', async () => {
  const answer = { body: null, arrayBuffer: async () => BYTES.slice().buffer } as unknown as Response;
  expect(await readSamples(answer, body)).toEqual(SAMPLES);
  expect(await readSamples(answer, { ...body, window: { start: 8, length: 4 } })).toEqual(SAMPLES.slice(2));
  await expect(readSamples(answer, { ...body, total: 16 })).rejects.toMatchObject({ code: 'wrong_length' });
});

it('lets the platform put a small body together unless somebody watches it arrive', async () => {
  const answer = (length: number) => {
    const response = inParts([5, 7]);
    response.headers.set('content-length', String(length));
    return response;
  };
  const isWhole = async (response: Response, options = {}) => {
    const whole = vi.spyOn(response, 'arrayBuffer');
    expect(await readSamples(response, { ...body, ...options })).toEqual(SAMPLES);
    return whole.mock.calls.length === 1;
  };
  expect(await isWhole(answer(12))).toBe(true);
  expect(await isWhole(answer(12), { onProgress: () => {} })).toBe(false);
  expect(await isWhole(answer(12), { onStart: () => {} })).toBe(false);
  // What a header says otherwise, or does not say, is counted part by part.
  expect(await isWhole(answer(20))).toBe(false);
  expect(await isWhole(inParts([12]))).toBe(false);
});

it('refuses fewer and more bytes than expected', async () => {
  await expect(readSamples(inParts([8]), body)).rejects.toMatchObject({
    code: 'wrong_length',
    message: 'CH1: received 8 bytes; expected 12.',
  });
  await expect(readSamples(inParts([8, 4]), { ...body, total: 8 })).rejects.toMatchObject({ code: 'wrong_length' });
});

it('stops when aborted, even after data have arrived', async () => {
  for (const lengths of [[4, 4, 4], [12]]) {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const reading = readSamples(inParts(lengths), { ...body, signal, onProgress: () => controller.abort(reason) });
    await expect(reading).rejects.toBe(reason);
  }
});

it('reports when there is no memory for a plane', async () => {
  const total = 2 ** 53 - 8;
  await expect(readSamples(inParts([12]), { ...body, total })).rejects.toMatchObject({ code: 'plane_too_large' });
});

it('swaps the bytes on a big-endian machine', () => {
  // What such a machine reads as these samples.
  const swapped = new Uint8Array(toSamples(BYTES.slice().buffer, false).buffer);
  expect([...swapped]).toEqual([0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0, 0x50, 0x15, 0x02, 0xf9]);
  expect(toSamples(BYTES.slice().buffer, true)).toEqual(SAMPLES);
});
