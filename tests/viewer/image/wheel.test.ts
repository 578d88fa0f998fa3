import { expect, it } from 'vitest';
import { type WheelTurn, wheelAction } from '../../../packages/viewer/src/image/wheel.ts';

const turn = (parts: Partial<WheelTurn>) =>
  wheelAction({ deltaX: 0, deltaY: 0, deltaMode: 0, ctrlKey: false, shiftKey: false, altKey: false, ...parts });

type Row = [name: string, turned: Partial<WheelTurn>, expected: [x: number, y: number, pan: number]];

it.each<Row>([
  ['a notch away zooms in by 1.2', { deltaY: -100 }, [1.2, 1.2, 0]],
  ['two notches towards zoom out by 1.2²', { deltaY: 200 }, [1 / 1.44, 1 / 1.44, 0]],
  ['three lines of Firefox are a notch', { deltaY: -3, deltaMode: 1 }, [1.2 ** 0.99, 1.2 ** 0.99, 0]],
  ['shift: horizontally only', { deltaY: -100, shiftKey: true }, [1.2, 1, 0]],
  ['shift, as Chromium tells it', { deltaX: -100, shiftKey: true }, [1.2, 1, 0]],
  ['alt: vertically only', { deltaY: -100, altKey: true }, [1, 1.2, 0]],
  ['a pinch on a touch pad counts eightfold', { deltaY: -5, ctrlKey: true }, [1.2 ** 0.4, 1.2 ** 0.4, 0]],
  ['a notch with ctrl is a notch', { deltaY: -120, ctrlKey: true }, [1.2 ** 1.2, 1.2 ** 1.2, 0]],
  ['sideways moves', { deltaX: 30, deltaY: 4 }, [1.2 ** -0.04, 1.2 ** -0.04, 30]],
  ['nearly straight does not move', { deltaX: 3, deltaY: 40 }, [1.2 ** -0.4, 1.2 ** -0.4, 0]],
  ['a flick is held to four notches', { deltaY: -100_000 }, [1.2 ** 4, 1.2 ** 4, 0]],
])('%s', (_name, parts, [x, y, pan]) => {
  const action = turn(parts);
  expect(action.zoom.x).toBeCloseTo(x, 12);
  expect(action.zoom.y).toBeCloseTo(y, 12);
  expect(action.pan).toBe(pan);
});
