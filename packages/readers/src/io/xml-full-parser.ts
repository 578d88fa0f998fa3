/** What parses documents that the scanner does not understand. Apart, because a start needs no XML. */
import type { TreeBuilder } from './xml-tree.js';

/** Parses what the scanner leaves. It is three times as large, and few files need it. */
export interface FullParser {
  /**
   * @param known start of a document, which is in the tree
   * @throws LimitReached
   */
  parse(known: string, text: string): void;
}

let current: ((tree: TreeBuilder) => FullParser) | undefined;

/** Has documents parsed to their end with `xml-saxes.ts` from now on. */
export function useFullParser(create: (tree: TreeBuilder) => FullParser): void {
  current = create;
}

/** Thrown for a document that the scanner does not understand where no other parser was loaded yet. */
export class FullParserMissing extends Error {}

/** @throws FullParserMissing */
export function createFullParser(tree: TreeBuilder): FullParser {
  if (!current) throw new FullParserMissing();
  return current(tree);
}
