// The order of the pages, and the steps from the tutorial to the reference: both are what docs/README.md shows.
import { INDEX, resolveLink } from './collect.mjs';
import { isLink } from './markdown.mjs';

/**
 * @typedef {import('./markdown.mjs').Parsed} Parsed
 * @typedef {import('./markdown.mjs').Token} Token
 * @typedef {{ label: string, source: string, anchor: string }} Link to a file of the repository
 * @typedef {{ title: string, anchor: string, pages: Link[] }} Kind a heading of the index with the pages below it
 * @typedef {{ kinds: Kind[], steps: Link[] }} Contents
 */

/**
 * Reads the index. Its headings of level 2 are the kinds of pages, each with a list of links, and the first numbered list has the steps.
 * @param {Parsed} index before its links are changed
 * @returns {Contents}
 */
export function readContents({ tokens, headings }) {
  /** @type {Contents} */
  const contents = { kinds: [], steps: [] };
  const titles = headings.filter(({ level }) => level === 2);
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === 2) {
      const { text = '', anchor = '' } = titles.shift() ?? {};
      contents.kinds.push({ title: text, anchor, pages: [] });
    }
    if (token.type !== 'list') continue;
    const links = token.items.flatMap((/** @type {Token} */ item) => firstLink(item) ?? []);
    if (!token.ordered) contents.kinds.at(-1)?.pages.push(...links);
    else if (contents.steps.length === 0) contents.steps.push(...links);
  }
  return contents;
}

/**
 * @param {Token} token
 * @returns {Link | undefined}
 */
function firstLink(token) {
  if (isLink(token)) {
    const { path, anchor } = resolveLink(INDEX, token.href);
    return path === undefined ? undefined : { label: token.text, source: path, anchor };
  }
  const inner = ('tokens' in token ? token.tokens : undefined) ?? [];
  return inner.map(firstLink).find((link) => link !== undefined);
}
