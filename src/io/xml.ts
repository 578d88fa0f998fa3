import { SaxesParser } from 'saxes';
import { LIMITS } from './limits.js';

/** An element by its local name: vendors and schema versions disagree on prefixes, never on names. */
export interface XmlElement {
  readonly name: string;
  /** By local name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  /** Text and CDATA directly inside, in one piece. */
  text: string;
}

export interface XmlDocument {
  /** `undefined` when there is no element at all. */
  root: XmlElement | undefined;
  /** What is wrong with the document, first findings first; the tree holds what could be read in spite of it. */
  errors: string[];
  /** False when the document ends early, or a limit stopped the parse. */
  complete: boolean;
}

export interface XmlOptions {
  /** Subtrees by these local names are skipped; they cost no memory. */
  skip?: ReadonlySet<string>;
  /**
   * Sees every element when it ends, before its parent does. `false`: the element is not kept in the tree (for the
   * million `Plane` elements of a long recording). Elements inside skipped ones are not shown.
   */
  onElement?: (element: XmlElement, parent: XmlElement | undefined) => boolean;
}

/** Findings that are kept, and findings after which the document is taken for no XML. */
const KEPT_ERRORS = 20;
const MAX_ERRORS = 1_000;

class LimitReached extends Error {}

/**
 * Parses XML without ever throwing: a document that is damaged, cut short, or against a limit gives what came before.
 * Entities other than XML's own five and character references are left as they stand; DTDs are not read.
 */
export function parseXml(text: string, options: XmlOptions = {}): XmlDocument {
  const document: XmlDocument = { root: undefined, errors: [], complete: true };
  const builder = new TreeBuilder(document, options);
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  parser.on('error', (error) => {
    builder.report(error.message);
  });
  parser.on('opentag', (tag) => {
    builder.open(tag.name, tag.attributes);
  });
  parser.on('text', (chunk) => builder.text(chunk));
  parser.on('cdata', (chunk) => builder.text(chunk));
  parser.on('closetag', () => {
    builder.close();
  });
  try {
    parser.write(withoutForbidden(text, builder)).close();
  } catch (error) {
    document.complete = false;
    builder.note(error instanceof LimitReached ? error.message : `cannot be parsed: ${String(error)}`);
  }
  builder.finish();
  return document;
}

class TreeBuilder {
  private readonly document: XmlDocument;
  private readonly options: XmlOptions;
  private readonly stack: XmlElement[] = [];
  /** Depth inside a skipped subtree; 0 outside. */
  private skipped = 0;
  private elements = 0;
  private errors = 0;

  constructor(document: XmlDocument, options: XmlOptions) {
    this.document = document;
    this.options = options;
  }

  note(message: string): void {
    if (this.document.errors.length < KEPT_ERRORS) this.document.errors.push(message);
  }

  report(message: string): void {
    if (/unclosed tag|unexpected end/.test(message)) this.document.complete = false;
    this.note(message);
    if (++this.errors > MAX_ERRORS) throw new LimitReached(`has more than ${MAX_ERRORS} errors`);
  }

  open(qualified: string, attributes: Record<string, string>): void {
    if (++this.elements > LIMITS.xmlElements) throw new LimitReached(`has more than ${LIMITS.xmlElements} elements`);
    if (this.stack.length + this.skipped >= LIMITS.xmlDepth) {
      throw new LimitReached(`nests elements deeper than ${LIMITS.xmlDepth}`);
    }
    const name = localName(qualified);
    if (this.skipped > 0 || this.options.skip?.has(name)) {
      this.skipped++;
      return;
    }
    this.stack.push({ name, attributes: localAttributes(attributes), children: [], text: '' });
  }

  text(chunk: string): void {
    const top = this.stack.at(-1);
    if (top && this.skipped === 0) top.text += chunk;
  }

  close(): void {
    if (this.skipped > 0) {
      this.skipped--;
      return;
    }
    const element = this.stack.pop();
    if (!element) return;
    const parent = this.stack.at(-1);
    const kept = this.options.onElement?.(element, parent) ?? true;
    if (!kept) return;
    if (parent) parent.children.push(element);
    else this.document.root ??= element;
  }

  /** Closes what a damaged end left open, so that the tree holds it. */
  finish(): void {
    if (this.stack.length > 0) this.document.complete = false;
    this.skipped = 0;
    while (this.stack.length > 0) this.close();
  }
}

/** Control characters, lone surrogates, and references to them: vendors write them, XML forbids them. */
const FORBIDDEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f]);|0*(?:[0-8]|1[124-9]|2\d|3[01]);)/giu;

function withoutForbidden(text: string, builder: TreeBuilder): string {
  let end = text.length;
  // Zero bytes behind the end are padding.
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  const cleaned = text.slice(0, end).replace(FORBIDDEN, '');
  if (cleaned.length < end) {
    builder.note('holds characters that XML does not allow; they are left out');
  }
  return cleaned;
}

function localName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf(':') + 1);
}

function localAttributes(attributes: Record<string, string>): Record<string, string> {
  const local: Record<string, string> = Object.create(null);
  for (const key in attributes) {
    if (!key.startsWith('xmlns')) local[localName(key)] = attributes[key] as string;
  }
  return local;
}

/** Children of `element` by local name. */
export function childrenNamed(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** First child by local name; with several names, the first descendant along that path. */
export function childNamed(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let at = element;
  for (const name of path) at = at?.children.find((child) => child.name === name);
  return at;
}

/** Every element of the tree, parents before their children. */
export function* allElements(root: XmlElement | undefined): Generator<XmlElement> {
  const stack = root ? [root] : [];
  for (let element = stack.pop(); element; element = stack.pop()) {
    yield element;
    for (let i = element.children.length - 1; i >= 0; i--) stack.push(element.children[i] as XmlElement);
  }
}
