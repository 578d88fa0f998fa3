import { describe, expect, it } from 'vitest';
import { notesOf } from '../../packages/readers/src/base/notes.js';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `warning ${i}`);

describe('notes', () => {
  it('keep each text once, in order', () => {
    const notes = notesOf(['b', 'a', 'b']);
    notes.add('a');
    notes.add('c');
    expect(notes.list()).toEqual(['b', 'a', 'c']);
  });

  it('list a hundred texts, and count the others', () => {
    expect(notesOf(numbered(100)).list()).toEqual(numbered(100));
    const list = notesOf(numbered(250)).list();
    expect(list).toHaveLength(100);
    expect(list.slice(0, 99)).toEqual(numbered(99));
    expect(list[99]).toBe('… and 151 more warnings.');
  });

  it('count what another collection has dropped', () => {
    const notes = notesOf(['first']);
    notes.addAll(notesOf(numbered(110)));
    const list = notes.list();
    expect(list.slice(0, 2)).toEqual(['first', 'warning 0']);
    expect(list[99]).toBe('… and 12 more warnings.');
  });
});
