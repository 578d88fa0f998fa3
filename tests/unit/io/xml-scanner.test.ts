import { describe, expect, it, vi } from 'vitest';
import { parseXml } from '../../../packages/readers/src/io/xml.js';
import { XmlScanner } from '../../../packages/readers/src/io/xml-scanner.js';
import { TreeBuilder, type XmlOptions } from '../../../packages/readers/src/io/xml-tree.js';
import { random } from '../../support/differential.js';

/** Returns what the scanner leaves, and the tree of what it read. */
function scan(text: string, options: XmlOptions = {}) {
  const tree = new TreeBuilder();
  const document = tree.start(options);
  const rest = new XmlScanner().scan(text, tree);
  tree.finish();
  return { rest, root: document.root };
}

/** The scanner does not read processing instructions, so the other parser reads this document from its start. */
const unscanned = (text: string) => `<?elsewhere?>${text}`;

describe('XmlScanner', () => {
  it.each([
    '<a/>',
    '<?xml version="1.0" encoding="utf-8"?>\r\n<a b="1" c = \'2\'>\r\n  <d.e-f/>x\r\n</a >\r\n<!-- c -->\n',
    '<x:a xmlns:x="u" xmlns="v" x:b="&lt;&#181;&#xB5;&#13;\t\r\n">&amp;&quot;>]]&gt;<![CDATA[<b>]]]></x:a>',
    '<a>µ <!-- - > --> \u{fffd}<b></b></a>',
    '<a xmlns="u"><b xmlns="u"/><b xmlns="v"><c xmlns:x="w"/></b></a>',
  ])('reads all of %s as the other parser does', (text) => {
    const { rest, root } = scan(text);
    expect(rest).toBeUndefined();
    expect(root).toEqual(parseXml(unscanned(text.replace(/^<\?xml.*?\?>/, ''))).root);
  });

  it('gives no attributes that an element does not have', () => {
    for (const text of ['<a/>', '<a b="1"/>']) {
      const { attributes } = scan(text).root!;
      expect(['constructor', '__proto__', 'toString'].map((name) => attributes[name])).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
    const { attributes } = scan('<a constructor="1" __proto__="2" toString="3"/>').root!;
    expect(Object.entries(attributes)).toEqual([
      ['constructor', '1'],
      ['__proto__', '2'],
      ['toString', '3'],
    ]);
  });

  it('leaves the document from where it stops to understand it', () => {
    expect(scan('<a><x:b c="1">1<d/>&nbsp;</x:b></a>').rest).toEqual({ before: '<a><x:b>', text: '&nbsp;</x:b></a>' });
    expect(scan('<?xml version="1.0"?><a/> <b/>').rest).toEqual({
      before: '<?xml version="1.0"?><a/>',
      text: '<b/>',
    });
    expect(scan('<!DOCTYPE a><a/>').rest).toEqual({ before: '', text: '<!DOCTYPE a><a/>' });
    expect(scan('<a><b>').rest).toEqual({ before: '<a><b>', text: '' });
  });

  it.each([
    '<é/>',
    '<a b="1" b="2"/>',
    '<a b="1"c="2"/>',
    '<a b="<"/>',
    '<a b=1/>',
    '<a>]]></a>',
    '<a>&#x1;</a>',
    '<a>&#1114112;</a>',
    '<a></b>',
    '<a></ab>',
  ])('leaves %j to the other parser, but does not look into what is skipped', (text) => {
    expect(scan(text).rest).toBeDefined();
    const { rest, root } = scan(`<x><r c="1">${text}</r><y/></x>`, { skip: new Set(['r']) });
    expect([rest, root?.children.map(({ name }) => name)]).toEqual([undefined, ['y']]);
  });

  it.each([
    '<a>\u0001</a>',
    '<a>\ud83d\ude00</a>',
    '<a><!-- &#x1; --></a>',
    '<a><!-- -- --></a>',
    '<a><![CDATA[\u0001]]></a>',
    '<?xml version="1.1"?><a>\u0085</a>',
  ])('leaves %j to the other parser, also in what is skipped', (text) => {
    expect(scan(text).rest).toBeDefined();
    expect(scan(`<r>${text}</r>`, { skip: new Set(['r']) }).rest).toBeDefined();
  });

  it.each([
    '<r><a/>1</r>',
    '<r>1</r >\n',
    '<r/><r></r>',
    '<n:r><r/></n:r>',
    '<r><r><a/></r><a/></r>',
    '<r><rs></rs></r>',
    '<rs><r>1</r></rs>',
    '<r><!-- </r> --><b/></r>',
    '<r><![CDATA[</r>]]><b/></r>',
    '<r a="</r>"><b/></r>',
    '<r><?p </r> ?><b/></r>',
    '<r><b></b><rs/></r>',
    '<r>',
    '<r></s>',
  ])('finds the end of the skipped element in %s as the other parser does', (content) => {
    const text = `<x><a/>${content}<c d="1">2</c></x>`;
    const skip = new Set(['r']);
    expect(parseXml(text, { skip }).root).toEqual(parseXml(unscanned(text), { skip }).root);
  });

  it.each([
    ['none of them has', ''],
    ['only the last one has', '<r></r>'],
  ])('gives up to search for end tags that %s', (_, last) => {
    const many = Array.from({ length: 2_000 }, (_each, i) => `<n${i}:r>1</n${i}:r ><r></r >`).join('');
    const search = vi.spyOn(String.prototype, 'indexOf');
    const { rest, root } = scan(`<x>${many}${last}<a/></x>`, { skip: new Set(['r']) });
    const searches = search.mock.calls.filter(([text]) => String(text).startsWith('</')).length;
    search.mockRestore();
    expect([rest, root?.children.length]).toEqual([undefined, 1]);
    expect(searches).toBeLessThan(10);
  });

  it.each(['\ufeff<a/>', ' <?xml version="1.0"?><a/>', '<a/>x', '<![CDATA[]]><a/>'])(
    'leaves the document %j to the other parser',
    (text) => {
      expect(scan(text).rest).toBeDefined();
    },
  );

  it('gives the tree and the errors of the other parser for documents at random', () => {
    const next = random(14);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
    let complete = 0;
    for (let i = 0; i < 500; i++) {
      const skip = next() < 0.3 ? new Set(['a']) : new Set<string>();
      const isWhole = skip.size > 0 || next() < 0.5;
      const text = damaged(randomElement(pick, 0), isWhole ? 0 : 2, next);
      const seen: unknown[][] = [[], []];
      const [scanned, other] = [text, unscanned(text)].map((document, k) =>
        parseXml(document, {
          skip,
          onElement: (element, parent) => {
            seen[k]!.push({ ...element, children: element.children.length }, parent?.name, parent?.text);
            return element.name !== 'b';
          },
        }),
      );
      // Errors in what is skipped are not noticed.
      if (skip.size > 0) expect(scanned!.root, text).toEqual(other!.root);
      else expect(scanned, text).toEqual(other);
      expect(seen[0], text).toEqual(seen[1]);
      if (scanned!.errors.length === 0) complete++;
    }
    expect(complete).toBeGreaterThan(150);
  });
});

const NAMES = ['a', 'b', 'n:a', 'n:b', 'xmlns', 'xmlns:n', '_c.d'];
const TEXTS = ['', 't', ' \r\n ', '\r', 'x&amp;y', '&#xB5;', ']]', '>', 'µ', '&bad;', '&#1;', ']]>', '\u{1f600}', '&'];

function randomElement(pick: <T>(values: readonly T[]) => T, depth: number): string {
  const attributes = pick([0, 0, 1, 2, 3].map((count) => NAMES.slice(0, count)));
  const values = attributes.map(
    () => `${pick(NAMES)}${pick(['', ' '])}=${pick(['"v"', "'a\tb'", '"&lt;\r\n"', '"µ"'])}`,
  );
  const tag = [pick(NAMES), ...values].join(pick([' ', '\r\n ']));
  if (depth > 3) return `<${tag}/>`;
  const content = pick([[], [0], [0, 1], [0, 1, 2]]).map(() => {
    const kind = pick(['element', 'element', 'text', 'text', 'comment', 'cdata']);
    if (kind === 'element') return randomElement(pick, depth + 1);
    if (kind === 'text') return pick(pick([TEXTS.slice(0, 9), TEXTS.slice(0, 9), TEXTS]));
    return kind === 'comment' ? pick(['<!-- c -->', '<!---->']) : pick(['<![CDATA[<y>]]>', '<![CDATA[\r\n]]>']);
  });
  return `<${tag}>${content.join('')}</${tag.split(/\s/)[0]}>`;
}

/** Cuts out, or puts in, a few characters. */
function damaged(text: string, times: number, next: () => number): string {
  let result = text;
  for (let i = 0; i < times; i++) {
    const at = Math.floor(next() * result.length);
    const piece = '<>&"/= !?-]\0'[Math.floor(next() * 24)] ?? '';
    result = result.slice(0, at) + piece + result.slice(piece === '' ? at + 2 : at);
  }
  return result;
}
