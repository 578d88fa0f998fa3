import { describe, expect, it } from 'vitest';
import { allElements, childNamed, childrenNamed, parseXml } from '../../../packages/readers/src/io/xml.js';

describe('parseXml', () => {
  it('gives local names, attributes, text and CDATA', () => {
    const { root, errors, complete } = parseXml(
      '<?xml version="1.0"?><o:OME xmlns:o="urn:x" o:UUID="u"><o:A>1&amp;2</o:A><B><![CDATA[<3>]]></B></o:OME>',
    );
    expect(errors).toEqual([]);
    expect(complete).toBe(true);
    expect(root?.name).toBe('OME');
    expect({ ...root?.attributes }).toEqual({ UUID: 'u' });
    expect(childNamed(root, 'A')?.text).toBe('1&2');
    expect(childNamed(root, 'B')?.text).toBe('<3>');
    expect([...allElements(root)].map((element) => element.name)).toEqual(['OME', 'A', 'B']);
  });

  it('expands no entity of a document type', () => {
    const bomb = `<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>`;
    const { root, errors } = parseXml(bomb);
    expect(root?.text).toBe('&y;');
    expect(errors).toContain('undefined entity.');
  });

  it('leaves out characters that XML forbids', () => {
    const { root, errors } = parseXml('<a>1\u0001&#x1;&#11;2\ud800\u0000<b/></a>\0\0\0');
    expect(root?.text).toBe('12');
    expect(root?.children).toHaveLength(1);
    expect(errors).toEqual(['contains characters that XML does not allow; they were removed']);
  });

  it('keeps what comes before a cut', () => {
    const { root, complete, errors } = parseXml('<a><b id="1"/><c><d id="2">te');
    expect(complete).toBe(false);
    expect(errors.length).toBeGreaterThan(0);
    expect(childNamed(root, 'c', 'd')?.attributes['id']).toBe('2');
    expect(childrenNamed(root, 'b')).toHaveLength(1);
  });

  it('skips subtrees and drops consumed elements', () => {
    const seen: string[] = [];
    const { root } = parseXml('<a><s><p i="0"/></s><p i="1"/><p i="2"/></a>', {
      skip: new Set(['s']),
      onElement: (element) => {
        if (element.name === 'p') seen.push(element.attributes['i'] as string);
        return element.name !== 'p';
      },
    });
    expect(seen).toEqual(['1', '2']);
    expect(root?.children).toEqual([]);
  });

  it.each(['', 'hello', '<', '<a', '</a>', '<a b=>', '\0\0\0', '<!DOCTYPE', '<![CDATA['])(
    'never throws: "%s"',
    (text) => {
      expect(parseXml(text).errors.length).toBeGreaterThan(0);
    },
  );

  it.each([
    '<a><b c="1',
    '<a><![CDATA[x',
    '<!DOCTYPE a [<!ENTITY',
    '<a/><!-- ',
    '<?xml version="1.1"?><a>&#x',
    '<a>'.repeat(100_000),
    '&;'.repeat(2_000),
  ])('reads the next document as if "%.20s" had not come before', (corrupted) => {
    const text = '<?xml version="1.0"?><a b="1">x&amp;<c>y</c></a>';
    const expected = parseXml(text);
    parseXml(corrupted);
    expect(parseXml(text)).toEqual(expected);
    expect(expected.errors).toEqual([]);
  });

  it('parses a document inside another', () => {
    const inner: string[] = [];
    const { root } = parseXml('<a><b>1</b><b>2</b></a>', {
      onElement: ({ text }) => {
        inner.push(parseXml(`<x>${text}</x>`).root?.text ?? '');
        return true;
      },
    });
    expect(inner).toEqual(['1', '2', '']);
    expect(root?.children.map(({ text }) => text)).toEqual(['1', '2']);
  });

  it('stops at its limits', () => {
    expect(parseXml('<a>'.repeat(100_000)).errors).toEqual(['nests elements more than 256 levels deep']);
    const inSkipped = parseXml('<a>'.repeat(100_000), { skip: new Set(['a']) });
    expect(inSkipped.errors).toEqual(['nests elements more than 256 levels deep']);
    const hopeless = parseXml('<a>&x;'.padEnd(100_000, '&x;'));
    expect(hopeless.errors).toHaveLength(20);
    expect(hopeless.complete).toBe(false);
  });
});
