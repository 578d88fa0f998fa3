import { SaxesParser } from 'saxes';
import { grouped } from '../wording.js';
import { LIMITS } from './limits.js';

/** An element by its local name: vendors and schema versions differ in prefixes, not in names. */
export interface XmlElement {
  readonly name: string;
  /** By local name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  /** Text and CDATA directly inside the element, joined. */
  text: string;
}

export interface XmlDocument {
  /** `undefined` when the document has no element. */
  root: XmlElement | undefined;
  /** What is wrong with the document, in order; the tree has what could be read nevertheless. */
  errors: string[];
  /** False when the document ends early or exceeds a limit. */
  complete: boolean;
}

export interface XmlOptions {
  /** Subtrees with these local names are skipped and take no memory. */
  skip?: ReadonlySet<string>;
  /**
   * Called for every element outside skipped subtrees when it ends, before its parent ends. Return `false` to leave the
   * element out of the tree, for example the million `Plane` elements of a long recording.
   */
  onElement?: (element: XmlElement, parent: XmlElement | undefined) => boolean;
}

/** Errors to keep, and errors after which the document is not considered XML. */
const KEPT_ERRORS = 20;
const MAX_ERRORS = 1_000;

class LimitReached extends Error {}

/**
 * Parses XML and never throws: a document that is corrupted, truncated or exceeds a limit yields what came before. Leaves
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
    if (parser.isReusable) this.idle = parser;
    return document;
  }
}

const host = new ParserHost();

/**
 * The first document of a parser. It is long enough for V8 to learn that functions other than the `onElement` of the next
 * document are called: code optimized for that function alone would be lost with it.
 */
const FAMILIAR = `<a>${'<b c="d">e</b>'.repeat(100)}</a>`;

function keepElement(_element: XmlElement, _parent: XmlElement | undefined): boolean {
  return true;
}

class DocumentParser {
  /** False after a document whose parsing was stopped halfway. */
  isReusable = true;
  private readonly parser = new SaxesParser({ position: false, xmlns: false } as const);
  /** Keeps the hidden class of tags alive. */
  private firstTag: object | undefined;
  private document = emptyDocument();
  /** Apart: callers' option objects differ in their hidden classes. */
  private skip: XmlOptions['skip'];
  private onElement = keepElement;
  private stack: XmlElement[] = [];
  /** Depth inside a skipped subtree; 0 outside. */
  private skipped = 0;
  private elements = 0;
  private errors = 0;

  constructor() {
    const { parser } = this;
    parser.on('error', (error) => this.report(error.message));
    parser.on('opentag', (tag) => {
      this.firstTag ??= tag;
      this.open(tag.name, tag.attributes);
    });
    parser.on('text', (chunk) => this.text(chunk));
    parser.on('cdata', (chunk) => this.text(chunk));
    parser.on('closetag', () => this.close());
    this.parse(FAMILIAR, {});
  }

  parse(text: string, options: XmlOptions): XmlDocument {
    const document = this.start(options);
    try {
      this.parser.write(this.withoutForbidden(text)).close();
    } catch (error) {
      this.isReusable = false;
      document.complete = false;
      this.note(error instanceof LimitReached ? error.message : `cannot be parsed: ${String(error)}`);
    }
    this.finish();
    return document;
  }

  private start(options: XmlOptions): XmlDocument {
    this.document = emptyDocument();
    this.skip = options.skip;
    this.onElement = options.onElement ?? keepElement;
    this.skipped = 0;
    this.elements = 0;
    this.errors = 0;
    return this.document;
  }

  private note(message: string): void {
    if (this.document.errors.length < KEPT_ERRORS) this.document.errors.push(message);
  }

  private report(message: string): void {
    if (/unclosed tag|unexpected end/.test(message)) this.document.complete = false;
    this.note(message);
    if (++this.errors > MAX_ERRORS) throw new LimitReached(`has more than ${grouped(MAX_ERRORS)} errors`);
  }

  private open(qualified: string, attributes: Record<string, string>): void {
    if (++this.elements > LIMITS.xmlElements)
      throw new LimitReached(`has more than ${grouped(LIMITS.xmlElements)} elements`);
    if (this.stack.length + this.skipped >= LIMITS.xmlDepth) {
      throw new LimitReached(`nests elements more than ${LIMITS.xmlDepth} levels deep`);
    }
    const name = localName(qualified);
    if (this.skipped > 0 || this.skip?.has(name)) {
      this.skipped++;
      return;
    }
    this.stack.push({ name, attributes: localAttributes(attributes), children: [], text: '' });
  }

  private text(chunk: string): void {
    const top = this.stack.at(-1);
    if (top && this.skipped === 0) top.text += chunk;
  }

  private close(): void {
    if (this.skipped > 0) {
      this.skipped--;
      return;
    }
    const element = this.stack.pop();
    if (!element) return;
    const parent = this.stack.at(-1);
    if (!this.onElement(element, parent)) return;
    if (parent) parent.children.push(element);
    else this.document.root ??= element;
  }

  /** Closes the elements that a truncated document left open, so that they are in the tree, and lets go of the document. */
  private finish(): void {
    if (this.stack.length > 0) this.document.complete = false;
    this.skipped = 0;
    while (this.stack.length > 0) this.close();
    this.document = emptyDocument();
    this.skip = undefined;
    this.onElement = keepElement;
  }

  private withoutForbidden(text: string): string {
    let end = text.length;
    // Trailing zero bytes are padding.
    while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
    const cleaned = text.slice(0, end).replace(FORBIDDEN, '');
    if (cleaned.length < end) this.note('contains characters that XML does not allow; they were removed');
    return cleaned;
  }
}

function emptyDocument(): XmlDocument {
  return { root: undefined, errors: [], complete: true };
}

/** Control characters, lone surrogates, and references to them, which vendors write although XML forbids them. */
const FORBIDDEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f]);|0*(?:[0-8]|1[124-9]|2\d|3[01]);)/giu;

function localName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf(':') + 1);
}

function localAttributes(attributes: Record<string, string>): Record<string, string> {
  const local: Record<string, string> = Object.create(null);
  for (const key in attributes) {
    if (!key.startsWith('xmlns')) local[localName(key)] = attributes[key]!;
  }
  return local;
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
