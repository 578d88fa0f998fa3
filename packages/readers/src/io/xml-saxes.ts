import { SaxesParser } from 'saxes';
import type { FullParser } from './xml-full-parser.js';
import type { TreeBuilder } from './xml-tree.js';

/** Parses all of XML, and what is not quite XML. */
export class SaxesFullParser implements FullParser {
  private readonly parser = new SaxesParser({ position: false, xmlns: false } as const);
  /** Keeps the hidden class of tags alive. */
  private firstTag: object | undefined;
  /** What is parsed is already in the tree. */
  private isKnown = false;

  constructor(tree: TreeBuilder) {
    const { parser } = this;
    parser.on('error', (error) => tree.report(error.message));
    parser.on('opentag', (tag) => {
      this.firstTag ??= tag;
      if (!this.isKnown) tree.open(localName(tag.name), localAttributes(tag.attributes));
    });
    parser.on('text', (chunk) => tree.text(chunk));
    parser.on('cdata', (chunk) => tree.text(chunk));
    parser.on('closetag', () => {
      if (!this.isKnown) tree.close();
    });
  }

  /** @throws LimitReached */
  parse(known: string, text: string): void {
    this.isKnown = true;
    this.parser.write(known);
    this.isKnown = false;
    this.parser.write(text).close();
  }
}

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
