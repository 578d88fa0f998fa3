import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';

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

export class LimitReached extends Error {}

/** Errors to keep, and errors after which the document is not considered XML. */
const KEPT_ERRORS = 20;
const MAX_ERRORS = 1_000;

/** The attributes of elements that have none. */
export const NO_ATTRIBUTES: XmlElement['attributes'] = Object.freeze(Object.create(null));

/** Builds the trees of documents, one after the other, from what a parser finds. */
export class TreeBuilder {
  private document = emptyDocument();
  /** Apart: callers' option objects differ in their hidden classes. */
  private skip: XmlOptions['skip'];
  private onElement = keepElement;
  private stack: XmlElement[] = [];
  /** Depth inside a skipped subtree; 0 outside. */
  private skipped = 0;
  private elements = 0;
  private errors = 0;

  start(options: XmlOptions): XmlDocument {
    this.document = emptyDocument();
    this.skip = options.skip;
    this.onElement = options.onElement ?? keepElement;
    this.skipped = 0;
    this.elements = 0;
    this.errors = 0;
    return this.document;
  }

  note(message: string): void {
    if (this.document.errors.length < KEPT_ERRORS) this.document.errors.push(message);
  }

  /** @throws LimitReached after too many errors */
  report(message: string): void {
    if (/unclosed tag|unexpected end/.test(message)) this.document.complete = false;
    this.note(message);
    if (++this.errors > MAX_ERRORS) throw new LimitReached(`has more than ${grouped(MAX_ERRORS)} errors`);
  }

  /** Ends the document where it is. */
  stop(reason: string): void {
    this.document.complete = false;
    this.note(reason);
  }

  /** True inside a skipped subtree, where names and attributes are of no interest. */
  get isSkipping(): boolean {
    return this.skipped > 0;
  }

  /** True when the next element, if it has this name, does not become part of the tree. */
  skips(name: string): boolean {
    return this.skipped > 0 || this.skip?.has(name) === true;
  }

  /** Adds an element by its local name. @throws LimitReached */
  open(name: string, attributes: XmlElement['attributes']): void {
    if (++this.elements > LIMITS.xmlElements)
      throw new LimitReached(`has more than ${grouped(LIMITS.xmlElements)} elements`);
    if (this.stack.length + this.skipped >= LIMITS.xmlDepth) {
      throw new LimitReached(`nests elements more than ${grouped(LIMITS.xmlDepth)} levels deep`);
    }
    if (this.skips(name)) {
      this.skipped++;
      return;
    }
    this.stack.push({ name, attributes, children: [], text: '' });
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
    if (!this.onElement(element, parent)) return;
    if (parent) parent.children.push(element);
    else this.document.root ??= element;
  }

  /** Closes the elements that a truncated document left open, so that they are in the tree, and lets go of the document. */
  finish(): void {
    if (this.stack.length > 0) this.document.complete = false;
    this.skipped = 0;
    while (this.stack.length > 0) this.close();
    this.document = emptyDocument();
    this.skip = undefined;
    this.onElement = keepElement;
  }
}

function keepElement(_element: XmlElement, _parent: XmlElement | undefined): boolean {
  return true;
}

function emptyDocument(): XmlDocument {
  return { root: undefined, errors: [], complete: true };
}
