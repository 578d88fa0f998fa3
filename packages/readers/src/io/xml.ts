import { withoutForbidden } from './xml-characters.js';
import { createFullParser, type FullParser, FullParserMissing } from './xml-full-parser.js';
import { type XmlRest, XmlScanner } from './xml-scanner.js';
import { LimitReached, TreeBuilder, type XmlDocument, type XmlElement, type XmlOptions } from './xml-tree.js';

export type { XmlDocument, XmlElement, XmlOptions } from './xml-tree.js';

/**
 * Parses XML and never throws, once `useFullParser` was called: a document that is corrupted, truncated or exceeds a limit yields what came before. Leaves
 * entities other than the five of XML and character references as they are, and does not read DTDs.
 */
export function parseXml(text: string, options: XmlOptions = {}): XmlDocument {
  return host.parse(text, options);
}

/**
 * Holds the parser of this thread and uses it for one document after the other. A garbage collection that finds no
 * parser alive makes V8 drop its hidden classes and all code optimized for them; large planes cause one at every open,
 * and each document would be parsed by cold code.
 */
class ParserHost {
  private idle: DocumentParser | undefined;

  parse(text: string, options: XmlOptions): XmlDocument {
    const parser = this.idle ?? new DocumentParser();
    // Not shared with a document that `onElement` may parse.
    this.idle = undefined;
    const document = parser.parse(text, options);
    this.idle = parser;
    return document;
  }
}

const host = new ParserHost();

/**
 * The first document of a parser. It is long enough for V8 to learn that functions other than the `onElement` of the next
 * document are called: code optimized for that function alone would be lost with it.
 */
const FAMILIAR = `<a>${'<b c="d">e</b>'.repeat(100)}</a>`;

/** Parses one document after the other: with the scanner as far as that gets, which is nearly always the end. */
class DocumentParser {
  private readonly tree = new TreeBuilder();
  private readonly scanner = new XmlScanner();
  private full: FullParser | undefined;
  /** Keeps the hidden classes of elements alive. */
  readonly familiar = this.parse(FAMILIAR, {});

  parse(text: string, options: XmlOptions): XmlDocument {
    const { tree } = this;
    const document = tree.start(options);
    try {
      const rest = this.scanner.scan(text, tree);
      if (rest) this.parseRest(rest);
    } catch (error) {
      if (error instanceof FullParserMissing) throw error;
      tree.stop(error instanceof LimitReached ? error.message : `cannot be parsed: ${String(error)}`);
    }
    tree.finish();
    return document;
  }

  private parseRest({ before, text }: XmlRest): void {
    const { allowed, isChanged } = withoutForbidden(text);
    if (isChanged) this.tree.note('contains characters that XML does not allow; they were removed');
    const full = this.full ?? createFullParser(this.tree);
    // One that was stopped halfway is not used again.
    this.full = undefined;
    full.parse(before, allowed);
    this.full = full;
  }
}

/** Returns the children of `element` with a local name. */
export function childrenNamed(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** Returns the first child with a local name; with several names, the first descendant along that path. */
export function childNamed(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let at = element;
  for (const name of path) at = at?.children.find((child) => child.name === name);
  return at;
}

/** Yields every element of the tree, parents before their children. */
export function* allElements(root: XmlElement | undefined): Generator<XmlElement> {
  const stack = root ? [root] : [];
  for (let element = stack.pop(); element; element = stack.pop()) {
    yield element;
    for (let i = element.children.length - 1; i >= 0; i--) stack.push(element.children[i]!);
  }
}
