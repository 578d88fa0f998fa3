import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { adopt, createTab } from '../../../packages/viewer/src/app/tab.ts';
import {
  applyView,
  captureView,
  decodeView,
  encodeView,
  unknownLuts,
} from '../../../packages/viewer/src/app/view-state.ts';
import { createDocument } from '../../../packages/viewer/src/model/document.ts';

const plane = (rows: number, columns: number) => ({
  shape: [rows, columns],
  axes: [
    { arrayDimension: 0, name: 'Y', size: rows, step: 0.001, unit: 'seconds' },
    { arrayDimension: 1, name: 'X', size: columns, step: 0.2, unit: 'micrometer' },
  ],
});
const channel = (index: number) => ({ index, name: `CH${index + 1}`, byteLength: 80, dataUrl: '' });

function kymograph(channels = [0, 1]) {
  const info = {
    header: { numChannels: 2, dims: ['C', 'Y', 'X'] },
    plane: plane(10, 2),
    channels: channels.map(channel),
    reference: { plane: plane(4, 4), channels: [channel(0)], lineRoi: null, scanPath: null },
    selection: { T: 3 },
  } as unknown as OpenResponse;
  const document = createDocument({ info } as never);
  for (const one of document.source.value.channels) one.data.value = new Float32Array(20);
  return document;
}

const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

it('begins with the display ranges that a file contains', () => {
  const { info } = kymograph();
  const [first, second] = info.value.channels as [object, object];
  const window = { start: 10, end: 250.5 };
  const told = {
    ...info.value,
    channels: [
      { ...first, window },
      { ...second, window: { start: 3, end: 3 } },
    ],
  };
  const tab = createTab({ info: told } as never);
  const [shown, other] = tab.document.source.value.channels;
  expect(shown?.display.value).toMatchObject({ min: 10, max: 250.5 });
  expect(other?.display.value).toMatchObject({ min: 0, max: 1 });
});

it('reads the planes again when the same indices mean other planes', () => {
  const { info } = kymograph();
  const tab = createTab({ info: info.value } as never);
  const load = () => {
    for (const { data, load } of tab.document.source.value.channels) {
      data.value = new Float32Array(20);
      load.value = { state: 'ready' };
    }
  };
  const states = (next: object) => {
    load();
    adopt(tab, { info: { ...info.value, ...next } } as never);
    return tab.document.source.value.channels.map((channel) => channel.load.value.state);
  };
  expect(states({})).toEqual(['ready', 'ready']);
  expect(states({ interpret: { order: ['C', 'T'] } })).toEqual(['waiting', 'waiting']);
});

describe('the state of a view', () => {
  it('is the same after encoding and decoding', () => {
    const document = kymograph();
    const { source } = document;
    const [, second] = source.value.channels;
    second!.display.value = { ...second!.display.value, lut: 'viridis', min: -2.5, max: 17, gamma: 0.5, opacity: 0.25 };
    source.value.views.value = new Map([['shared', { x: 1.25, y: 0, width: 3.5, height: 2 }]]);
    source.value.orientation.value = { transposed: false, upward: true };
    source.value.composite.value = true;
    source.value.pixelMarks.value = { clipping: true };
    source.value.background.value = 'm1';
    const mark = { id: 'm1', kind: 'line', from: { row: 0.5, column: 1 }, to: { row: 9, column: 1.5 } } as const;
    source.value.marks.value = [mark];
    document.showScanPath.value = false;
    document.activePane.value = 'reference';
    const link = encodeView(captureView(document));
    expect(link).toMatch(/^[\w-]+$/);

    const again = kymograph();
    const state = decodeView(link);
    expect(state?.selection).toEqual({ T: 3 });
    expect(state?.channels).toBeUndefined();
    applyView(again, state!);
    expect(captureView(again)).toEqual(captureView(document));
    expect(again.source.value.channels[1]?.display.value.lut).toBe('viridis');
    expect(again.source.value.marks.value).toEqual([mark]);
    expect(again.source.value.background.value).toBe('m1');
  });

  it('lists the channels when not all are shown', () => {
    expect(captureView(kymograph([1])).channels).toEqual([1]);
    expect(captureView(kymograph([1, 0])).channels).toEqual([1, 0]);
  });

  it('contains names that are not ASCII', () => {
    const document = kymograph();
    const mark = { id: 'Gefäß µ', kind: 'region', from: { row: 0, column: 0 }, to: { row: 1, column: 1 } } as const;
    const outline = {
      id: '2',
      kind: 'polygon',
      from: { row: 0.5, column: 1 },
      to: { row: 9, column: 1.5 },
      via: Array.from({ length: 500 }, (_, i) => ({ row: i / 125, column: 1 + (i % 2) / 8 })),
    } as const;
    document.source.value.marks.value = [outline];
    const link = encodeView(captureView(document));
    expect(decodeView(link)?.source.marks).toEqual([outline]);
    // Points are pairs of numbers, not objects.
    expect(link.length).toBeLessThan(500 * 22);
    document.source.value.marks.value = [mark];
    expect(decodeView(encodeView(captureView(document)))?.source.marks).toEqual([mark]);
  });

  it.each(['', '%%%', 'abc', text(null), text([]), text({}), text({ source: 3 }), 'A'.repeat(70_000)])(
    'is nothing when the text is none: %.20s',
    (link) => {
      expect(decodeView(link)).toBeNull();
    },
  );

  it.each([
    { kind: 'median' },
    { kind: 'box', sigma: 1 },
    { kind: 'gaussian', sigma: 0 },
    { kind: 'gaussian', sigma: 11 },
    7,
  ])('ignores invalid smoothing: %o', (smoothing) => {
    const state = decodeView(text({ source: { smoothing } }));
    expect(state?.source.smoothing).toBeUndefined();
  });

  it('shows gray for a table that this page does not have', () => {
    const document = kymograph();
    const display = { ...document.source.value.channels[0]!.display.value, lut: 'parula', min: 3, max: 4 };
    applyView(document, { source: { views: {}, displays: { 0: display }, toggles: {}, marks: [] } });
    expect(document.source.value.channels[0]?.display.value).toEqual({ ...display, lut: 'grey' });
  });

  it('ignores invalid parts and keeps the rest', () => {
    const good = { lut: 'grey', invert: false, min: 0, max: 1, scale: 'log', gamma: 1, visible: true, opacity: 1 };
    const { scale: _, ...older } = good;
    const state = decodeView(
      text({
        selection: { T: -1, Z: 2, __proto__: 1, C: 0 },
        channels: [0, 'a'],
        activePane: 'elsewhere',
        source: {
          views: { shared: { x: 0, y: 0, width: 0, height: 1 }, 1: { x: 0, y: 0, width: 1, height: 1 }, '../': {} },
          displays: {
            0: good,
            1: { ...good, max: 0 },
            2: { ...good, lut: '<img src=x>' },
            3: { ...good, gamma: '2' },
            4: { ...good, opacity: 2 },
            5: { ...good, scale: 'cubic' },
            6: older,
            7: { ...good, lut: 'parula' },
          },
          toggles: { axes: false, composite: 1, constructor: true },
          smoothing: { kind: 'median', sigma: 2, constructor: 1 },
          marks: [
            { id: 'x', kind: 'circle', from: {}, to: {} },
            { id: 'x', kind: 'polygon', from: 1, to: 2, via: [1] },
            7,
            null,
          ],
        },
      }),
    );
    expect(state).toEqual({
      selection: { Z: 2 },
      source: {
        views: { 1: { x: 0, y: 0, width: 1, height: 1 } },
        // Links of earlier versions have no scale.
        displays: { 0: good, 6: { ...good, scale: 'linear' }, 7: { ...good, lut: 'parula' } },
        toggles: { axes: false },
        smoothing: { kind: 'median', sigma: 2 },
        marks: [],
      },
    });
    expect(state && unknownLuts(state)).toEqual(['parula']);
  });
});
