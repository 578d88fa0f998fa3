import { expect, it } from 'vitest';
import { emptyHistory, recordStep, redoStep, undoStep } from '../../../packages/viewer/src/image/view-history.ts';

it('steps back and forth, and drops undone steps after a new change', () => {
  // a → b → c, back to a, forth to b, then d.
  let history = recordStep(recordStep(emptyHistory<string>(), 'a'), 'b');
  let step = undoStep(history, 'c')!;
  expect(step.state).toBe('b');
  step = undoStep(step.history, step.state)!;
  expect(step.state).toBe('a');
  expect(undoStep(step.history, 'a')).toBeNull();
  step = redoStep(step.history, step.state)!;
  expect(step.state).toBe('b');
  expect(redoStep(step.history, 'b')?.state).toBe('c');
  history = recordStep(step.history, 'b');
  expect(redoStep(history, 'd')).toBeNull();
  expect(undoStep(history, 'd')?.state).toBe('b');
});

it('keeps the last 200 steps', () => {
  let history = emptyHistory<number>();
  for (let i = 0; i < 250; i++) history = recordStep(history, i);
  expect(history.past).toHaveLength(200);
  expect(history.past[0]).toBe(50);
});
