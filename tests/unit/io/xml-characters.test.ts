import { expect, it } from 'vitest';
import { expandText, expandValue, skipReference } from '../../../packages/readers/src/io/xml-characters.js';

it.each([
  ['&#9;&#xA;&#13;', '\t\n\r'],
  ['&#x20;&#xB5;&#xD7FF;', ' µ\ud7ff'],
  ['&#xE000;&#xFFFD;', '\ue000\ufffd'],
  ['&#x10000;&#128512;&#x10FFFF;', '\u{10000}\u{1f600}\u{10ffff}'],
])('the characters %s are those of their numbers', (text, expanded) => {
  expect(expandText(text)).toBe(expanded);
  expect(skipReference(text, 0)).toBe(text.indexOf(';') + 1);
});

it.each([
  '&#8;',
  '&#xB;',
  '&#x1F;',
  '&#xD800;',
  '&#xDFFF;',
  '&#xFFFE;',
  '&#xFFFF;',
  '&#x110000;',
  '&#99999999;',
  '&#;',
])('no character has the number %s', (text) => {
  expect(skipReference(text, 0)).toBe(-1);
});

it('line ends become line feeds, and white space in values becomes blanks', () => {
  expect(expandText('a\r\nb\rc\n&#13;')).toBe('a\nb\nc\n\r');
  expect(expandValue('a\r\nb\tc&#10;')).toBe('a b c\n');
});
