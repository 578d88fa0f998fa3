import { expandText, expandValue, isUsual, skipReference, UNUSUAL, withLineFeeds } from './xml-characters.js';
import { NO_ATTRIBUTES, type TreeBuilder, type XmlElement } from './xml-tree.js';

/** What the scanner leaves to a parser that knows all of XML. */
export interface XmlRest {
  /** The declaration and the elements that are open, without their attributes, so that `text` continues a document. */
  before: string;
  text: string;
}

const [TAB, LINE_FEED, RETURN, BLANK] = [0x09, 0x0a, 0x0d, 0x20];
const [BANG, QUOTE, AMPERSAND, APOSTROPHE, SLASH] = [0x21, 0x22, 0x26, 0x27, 0x2f];
const [COLON, LESS, EQUALS, GREATER, BRACKET] = [0x3a, 0x3c, 0x3d, 0x3e, 0x5d];
/** From here on, a code unit is half of a character or perhaps not allowed. */
const FIRST_UNUSUAL = 0xd800;

/**
 * Attributes by name; none is inherited. V8 keeps such objects in its fast form, unlike those of `Object.create(null)`: with
 * these, a document of many attributes takes a fifth longer.
 */
const Attributes = createAttributes as unknown as new () => Record<string, string>;
function createAttributes() {}
createAttributes.prototype = Object.create(null);

const DECLARATION =
  /^<\?xml[ \t\r\n]+version=(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding=(["'])[A-Za-z][A-Za-z0-9._-]*\1)?(?:[ \t\r\n]+standalone=(["'])(?:yes|no)\2)?[ \t\r\n]*\?>/;

/** Names of ASCII characters: 2 for those that can start a name, 1 for others. */
const IN_NAME = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z_:]/.test(character) ? 2 : /[\d.-]/.test(character) ? 1 : 0;
});

/**
 * Reads documents, one after the other, as far as they are as nearly all are: well-formed, of elements, text, comments and
 * CDATA, with names of ASCII. Each of its functions that returns a boolean returns false when it does not understand what
 * comes next; then nothing of that was added to the tree.
 */
export class XmlScanner {
  private text = '';
  private at = 0;
  private declaration = '';
  private hasRoot = false;
  /** Start and end of the names of the open elements. */
  private readonly names: number[] = [];
  /** The value of the attribute that was read last. */
  private value = '';
  /** Names of the attributes of an element that are not kept. */
  private readonly others = new Set<string>();
  /** Characters that may be searched in vain for the ends of skipped elements: a document could make each search fail. */
  private patience = 0;

  /** Returns what is left of the document; `undefined` when the tree is complete. @throws LimitReached */
  scan(text: string, tree: TreeBuilder): XmlRest | undefined {
    this.text = text;
    this.hasRoot = false;
    this.names.length = 0;
    this.patience = text.length;
    this.declaration = DECLARATION.exec(text)?.[0] ?? '';
    this.at = this.declaration.length;
    while (this.at < text.length && this.readNext(tree));
    const isComplete = this.at >= text.length && this.hasRoot && this.names.length === 0;
    const rest = isComplete ? undefined : this.rest();
    // A part of a text keeps all of it in memory.
    this.text = '';
    this.value = '';
    this.others.clear();
    return rest;
  }

  private rest(): XmlRest {
    const { text, names } = this;
    // Nothing before the root is in the tree.
    if (!this.hasRoot) return { before: '', text };
    const open = names.flatMap((start, i) => (i % 2 === 0 ? `<${text.slice(start, names[i + 1])}>` : []));
    return { before: this.declaration + (open.join('') || '<a/>'), text: text.slice(this.at) };
  }

  private readNext(tree: TreeBuilder): boolean {
    const { text, at } = this;
    if (text.charCodeAt(at) !== LESS) return this.names.length > 0 ? this.readText(tree) : this.readSpace();
    const next = text.charCodeAt(at + 1);
    if (next === SLASH) return this.readEnd(tree);
    if (next === BANG) return text.startsWith('<!--', at) ? this.readComment() : this.readCdata(tree);
    return this.readStart(tree);
  }

  private readSpace(): boolean {
    const end = skipSpace(this.text, this.at);
    if (end === this.at) return false;
    this.at = end;
    return true;
  }

  private readText(tree: TreeBuilder): boolean {
    const { text, at } = this;
    let isPlain = true;
    let end = at;
    for (let code = text.charCodeAt(end); code !== LESS; code = text.charCodeAt(end)) {
      if (code === AMPERSAND) {
        isPlain = false;
        end = skipReference(text, end);
        if (end < 0) return false;
        continue;
      }
      if (code === RETURN) isPlain = false;
      else if (!isUsualCode(code) || (code === GREATER && this.isAfterBrackets(end))) return false;
      end++;
    }
    if (!tree.isSkipping) {
      const raw = text.slice(at, end);
      tree.text(isPlain ? raw : expandText(raw));
    }
    this.at = end;
    return true;
  }

  /** True after `]]` in the text that is being read: `]]>` only ends CDATA. */
  private isAfterBrackets(position: number): boolean {
    const { text, at } = this;
    return position - at >= 2 && text.charCodeAt(position - 1) === BRACKET && text.charCodeAt(position - 2) === BRACKET;
  }

  private readComment(): boolean {
    const { text, at } = this;
    const end = text.indexOf('--', at + 4);
    if (end < 0 || text.charCodeAt(end + 2) !== GREATER || !isUsual(text.slice(at, end))) return false;
    this.at = end + 3;
    return true;
  }

  private readCdata(tree: TreeBuilder): boolean {
    const { text, at } = this;
    const start = at + '<![CDATA['.length;
    const end = text.indexOf(']]>', start);
    if (this.names.length === 0 || end < 0 || !text.startsWith('<![CDATA[', at)) return false;
    const raw = text.slice(start, end);
    if (!isUsual(raw)) return false;
    tree.text(withLineFeeds(raw));
    this.at = end + 3;
    return true;
  }

  private readEnd(tree: TreeBuilder): boolean {
    const { text, at, names } = this;
    if (names.length === 0) return false;
    const nameEnd = names[names.length - 1]!;
    let end = at + 2;
    for (let i = names[names.length - 2]!; i < nameEnd; i++, end++) {
      if (text.charCodeAt(i) !== text.charCodeAt(end)) return false;
    }
    end = skipSpace(text, end);
    if (text.charCodeAt(end) !== GREATER) return false;
    this.at = end + 1;
    names.pop();
    names.pop();
    tree.close();
    return true;
  }

  private readStart(tree: TreeBuilder): boolean {
    const { text, at, names } = this;
    if (names.length === 0 && this.hasRoot) return false;
    const start = at + 1;
    const nameEnd = skipName(text, start);
    if (nameEnd === start) return false;
    const name = tree.isSkipping ? '' : toLocalName(text, start, nameEnd);
    const attributes = this.readAttributes(nameEnd, tree.skips(name));
    if (!attributes) {
      this.at = at;
      return false;
    }
    this.hasRoot = true;
    tree.open(name, attributes);
    if (text.charCodeAt(this.at) === SLASH) {
      this.at += 2;
      tree.close();
    } else {
      this.at++;
      names.push(start, nameEnd);
      // The first of the skipped elements is the one that has a name here.
      if (name && tree.isSkipping && this.patience > 0) this.skipContent(text.slice(start, nameEnd));
    }
    return true;
  }

  /**
   * Goes to the end tag of a skipped element, without a look at the tags inside: they can be most of a document. Where another
   * element or a comment may have this end tag, and where characters are not usual, all is read.
   */
  private skipContent(name: string): void {
    const { text, at } = this;
    const end = text.indexOf(`</${name}>`, at);
    const content = text.slice(at, end);
    const isOther = content.includes(`<${name}`) || /<[!?]/.test(content) || UNUSUAL.test(content);
    if (end > 0 && !isOther) this.at = end;
    else this.patience -= content.length;
  }

  /** Reads up to the `>` or `/>` of the tag. Attributes of skipped elements are checked only. */
  private readAttributes(from: number, isSkipped: boolean): XmlElement['attributes'] | undefined {
    const { text } = this;
    let attributes: Record<string, string> | undefined;
    if (this.others.size > 0) this.others.clear();
    for (this.at = from; ; ) {
      const start = skipSpace(text, this.at);
      const code = text.charCodeAt(start);
      if (code === GREATER || (code === SLASH && text.charCodeAt(start + 1) === GREATER)) {
        this.at = start;
        return attributes ?? NO_ATTRIBUTES;
      }
      const end = skipName(text, start);
      if (start === this.at || end === start) return undefined;
      const isOther = isSkipped || text.startsWith('xmlns', start);
      if (!this.readValue(end, isOther)) return undefined;
      if (isOther) {
        if (!this.addOther(start, end)) return undefined;
        continue;
      }
      const name = toLocalName(text, start, end);
      attributes ??= new Attributes();
      // It may be there twice.
      if (attributes[name] !== undefined) return undefined;
      attributes[name] = this.value;
    }
  }

  /** Remembers the name of an attribute that is not kept; returns false when it is there twice. */
  private addOther(start: number, end: number): boolean {
    const { size } = this.others;
    return this.others.add(this.text.slice(start, end)).size > size;
  }

  /** Reads the value of an attribute, from the end of its name. */
  private readValue(nameEnd: number, isSkipped: boolean): boolean {
    const { text } = this;
    const equals = skipSpace(text, nameEnd);
    if (text.charCodeAt(equals) !== EQUALS) return false;
    const start = skipSpace(text, equals + 1) + 1;
    const quote = text.charCodeAt(start - 1);
    if (quote !== QUOTE && quote !== APOSTROPHE) return false;
    let isPlain = true;
    let end = start;
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end)) {
      if (code === AMPERSAND) {
        isPlain = false;
        end = skipReference(text, end);
        if (end < 0) return false;
        continue;
      }
      if (code === LESS || !isUsualCode(code)) return false;
      if (code < BLANK) isPlain = false;
      end++;
    }
    if (!isSkipped) {
      const raw = text.slice(start, end);
      this.value = isPlain ? raw : expandValue(raw);
    }
    this.at = end + 1;
    return true;
  }
}

/** Returns a name without its prefix. */
function toLocalName(text: string, start: number, end: number): string {
  let from = end;
  while (from > start && text.charCodeAt(from - 1) !== COLON) from--;
  return text.slice(from, end);
}

/** Returns the position after a name of ASCII characters; that of its start when there is none. */
function skipName(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  if (!(IN_NAME[code]! > 1)) return start;
  while (IN_NAME[code]! > 0) code = text.charCodeAt(++at);
  // A name may go on with other characters.
  return code < 0x80 ? at : start;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === BLANK || code === LINE_FEED || code === RETURN || code === TAB;
}

/** False at the end of the text, where `code` is NaN. */
function isUsualCode(code: number): boolean {
  return (code >= BLANK && code < FIRST_UNUSUAL) || isSpace(code) || (code >= 0xe000 && code < 0xfffe);
}
