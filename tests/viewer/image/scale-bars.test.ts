import { expect, it } from 'vitest';
import { paintScaleBars } from '../../../packages/viewer/src/image/paint-axes.ts';
import { testPane } from './test-pane.ts';

/** What is written beside the bars of a square image. */
function barsOf(y: number, x: number): string[] {
  const texts: string[] = [];
  const context = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => (name === 'fillText' ? (text: string) => texts.push(text) : () => {}),
    set: () => true,
  }) as unknown as CanvasRenderingContext2D;
  paintScaleBars(context, {
    pane: testPane({ shape: [100, 100], y: [y, 'micrometer'], x: [x, 'micrometer'] }),
    card: 'source',
    view: { x: 0, y: 0, width: 100, height: 100 },
    area: { width: 400, height: 400 },
    palette: { font: 'sans-serif' } as Parameters<typeof paintScaleBars>[1]['palette'],
  });
  return texts;
}

it('has one bar for steps that are practically equal, and two for others', () => {
  // Those of a LIF: 8 millionths apart.
  expect(barsOf(0.140279, 0.14028)).toEqual(['2 µm']);
  expect(barsOf(0.14, 0.28)).toHaveLength(2);
});
