import { expect, it } from 'vitest';
import { endSentence, subjectFirst } from '../../packages/readers/src/base/wording.js';

it.each([
  ['a.oir is truncated', 'a.oir is truncated.'],
  ['a.oir contains no image data.', 'a.oir contains no image data.'],
])('ends the message %j with one period', (message, sentence) => expect(endSentence(message)).toBe(sentence));

it.each([
  ['is truncated', 'a.oir is truncated'],
  ['already exists', 'a.oir already exists'],
  ['the file is truncated', 'a.oir: the file is truncated'],
  ['issue 3 of the format', 'a.oir: issue 3 of the format'],
])('puts a subject before %j', (text, sentence) => {
  expect(subjectFirst('a.oir', text)).toBe(sentence);
  expect(subjectFirst(undefined, text)).toBe(text);
});
