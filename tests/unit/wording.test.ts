import { expect, it } from 'vitest';
import { endSentence } from '../../packages/readers/src/base/wording.js';

it.each([
  ['a.oir: is truncated', 'a.oir: is truncated.'],
  ['a.oir: contains no image data.', 'a.oir: contains no image data.'],
])('ends the message %j with one period', (message, sentence) => expect(endSentence(message)).toBe(sentence));
