import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdTexture, KEPT_MS } from '../../../packages/viewer/src/image/textures.ts';
import type { Renderer } from '../../../packages/viewer/src/render/types.ts';
import { testPane } from './test-pane.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Counts uploads and releases. */
function countingRenderer() {
  const counts = { added: 0, released: 0 };
  const renderer = {
    addPlane() {
      counts.added += 1;
      return {
        release() {
          counts.released += 1;
        },
      };
    },
  } as unknown as Renderer;
  return { renderer, counts };
}

it('uploads a plane once for all users, and releases it some time after the last one', () => {
  const { renderer, counts } = countingRenderer();
  const pane = testPane({ shape: [2, 2], y: [1, 'Pixels'], x: [1, 'Pixels'] });
  const [channel] = pane.channels as [(typeof pane.channels)[number]];
  expect(holdTexture(renderer, pane, channel)).toBeNull();
  channel.data.value = new Float32Array(4);
  const card = holdTexture(renderer, pane, channel);
  const other = holdTexture(renderer, pane, channel);
  expect(other?.texture).toBe(card?.texture);
  card?.release();
  card?.release();
  vi.advanceTimersByTime(2 * KEPT_MS);
  expect(counts).toEqual({ added: 1, released: 0 });
  // The composite comes just after the card has gone.
  other?.release();
  vi.advanceTimersByTime(KEPT_MS / 2);
  const composite = holdTexture(renderer, pane, channel);
  vi.advanceTimersByTime(2 * KEPT_MS);
  expect(counts).toEqual({ added: 1, released: 0 });
  composite?.release();
  vi.advanceTimersByTime(KEPT_MS);
  expect(counts).toEqual({ added: 1, released: 1 });
  holdTexture(renderer, pane, channel);
  expect(counts.added).toBe(2);
});
