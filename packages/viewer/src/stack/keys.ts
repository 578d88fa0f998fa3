/** Keys of the time points and sections. They work without a focused image. */
import type { StackDim } from './place.ts';
import type { Stack } from './stack.ts';

export const STACK_KEYS = [
  { keys: '[ ]', does: 'Show the previous or next time point' },
  { keys: '{ }', does: 'Show the previous or next section' },
  { keys: 'O', does: 'Show the plane with two cross-sections through the stack, or leave them' },
  { keys: '\\', does: 'Play or stop the time points, or the sections of a file without time points' },
] as const;

const STEPS: Readonly<Record<string, readonly [dim: StackDim, by: number]>> = {
  '[': ['T', -1],
  ']': ['T', 1],
  '{': ['Z', -1],
  '}': ['Z', 1],
};

type StackKeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey'> & {
  getModifierState(key: 'AltGraph'): boolean;
};

/** Returns what a key does with a stack; undefined when it means nothing there. */
export function stackAction(press: StackKeyPress, dims: readonly StackDim[], stack: Stack): (() => void) | undefined {
  // Many keyboards have brackets on AltGr, which some systems report as Ctrl + Alt.
  const modified = (press.ctrlKey || press.altKey) && !press.getModifierState('AltGraph');
  if (modified || press.metaKey) return undefined;
  if (press.key === '\\') {
    const dim = stack.player.playing.peek() ?? dims[0];
    return dim && (() => stack.toggle(dim));
  }
  const step = STEPS[press.key];
  if (step === undefined || !dims.includes(step[0])) return undefined;
  return () => stack.step(...step);
}
