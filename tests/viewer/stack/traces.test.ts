import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AcquisitionDocument, Mark } from '../../../packages/viewer/src/model/document.ts';
import { followTraces } from '../../../packages/viewer/src/stack/traces.ts';

const region = (rows: readonly [number, number], columns: readonly [number, number]): Mark => ({
  id: '1',
  kind: 'region',
  from: { row: rows[0], column: columns[0] },
  to: { row: rows[1], column: columns[1] },
});

/** A document with one region and one channel, and the requests that it makes. */
function follow(sizes: Readonly<Record<string, number>>) {
  const requests: unknown[] = [];
  const marks = signal([region([2, 5], [3, 8])]);
  const pane = {
    lineScan: true,
    shape: [100, 20],
    marks,
    channels: [{ index: 0, display: signal({ visible: true }) }],
  };
  const opened = {
    info: { sessionId: 's' },
    traces(_channel: number, { regions }: { regions: unknown[] }) {
      requests.push(regions);
      return Promise.resolve({ shape: [1, 3], samples: new Float32Array(3) });
    },
  };
  const selection = Object.fromEntries(Object.keys(sizes).map((dim) => [dim, 0]));
  const document = {
    info: signal({ header: { sizes }, selection }),
    source: signal(pane),
    opened: signal(opened),
  } as unknown as AcquisitionDocument;
  const { stop } = followTraces(document, signal({ T: 0, Z: 0 }), { busy: signal(false), isLive: signal(false) });
  return { marks, requests, stop };
}

describe('traces of regions', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['the lines of a scan', {}, [[{ columns: [3, 8] }], [{ columns: [4, 9] }]]],
    [
      'time points',
      { T: 3 },
      [
        [{ rows: [2, 5], columns: [3, 8] }],
        [{ rows: [12, 15], columns: [3, 8] }],
        [{ rows: [12, 15], columns: [4, 9] }],
      ],
    ],
  ])('are read again when what counts has changed, along %s', async (_along, sizes, expected) => {
    const { marks, requests, stop } = follow(sizes);
    await vi.advanceTimersByTimeAsync(1_000);
    marks.value = [{ ...region([2, 5], [3, 8]), name: 'cell' }];
    await vi.advanceTimersByTimeAsync(1_000);
    marks.value = [region([12, 15], [3, 8])];
    await vi.advanceTimersByTimeAsync(1_000);
    marks.value = [region([12, 15], [4, 9])];
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests).toEqual(expected);
    stop();
  });
});
