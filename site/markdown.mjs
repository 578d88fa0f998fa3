// Markdown of the docs becomes HTML, and what the site needs to know of a page: its title, headings, links and text.
import { Marked } from 'marked';
import { createAnchors } from './anchors.mjs';
import { escapeHtml, highlight } from './highlight.mjs';

/**
 * @typedef {import('marked').Token} Token
 * @typedef {import('marked').Tokens.Link | import('marked').Tokens.Image} LinkToken
 * @typedef {{ level: number, text: string, anchor: string }} Heading
 * @typedef {{ anchor: string, heading: string, text: string }} Section a heading with the text that follows it, for the search
 * @typedef {object} Parsed
 * @property {Token[]} tokens
 * @property {string} title
 * @property {Heading[]} headings in their order, the title first
 * @property {Section[]} sections
 * @property {LinkToken[]} links with pictures
 * @property {string[]} faults what the site cannot show
 */

const COMMENTS = /^(?:\s*<!--[\s\S]*?-->\s*)*$/;
/** Headings with a section of their own in the search. */
const MAX_SECTION_LEVEL = 3;

/** @type {WeakMap<object, string>} by heading */
const anchors = new WeakMap();
/** @type {WeakMap<object, { width: number, height: number }>} by picture */
const sizes = new WeakMap();

const marked = new Marked({ gfm: true });
marked.use({
  renderer: {
    heading(token) {
      const anchor = anchors.get(token) ?? '';
      const label = `Link to “${escapeHtml(textOf(token))}”`;
      const link = token.depth === 1 ? '' : ` <a class="anchor" href="#${anchor}" aria-label="${label}">#</a>`;
      return `<h${token.depth} id="${anchor}">${this.parser.parseInline(token.tokens)}${link}</h${token.depth}>\n`;
    },
    code: ({ text, lang }) => renderCode(`${text}\n`, lang ?? ''),
    // Comments: parsePage lists any other HTML as a fault.
    html: () => '',
    tablecell(token) {
      const name = token.header ? 'th' : 'td';
      const side = token.align === null ? '' : ` class="${token.align}"`;
      return `<${name}${side}>${this.parser.parseInline(token.tokens)}</${name}>\n`;
    },
    image(token) {
      const { width, height } = sizes.get(token) ?? {};
      const size = width === undefined ? '' : ` width="${width}" height="${height}"`;
      return `<img src="${escapeHtml(token.href)}" alt="${escapeHtml(token.text)}"${size} loading="lazy">`;
    },
  },
});

/**
 * @param {string} code
 * @param {string} language
 */
export function renderCode(code, language) {
  return `<div class="code"><pre><code>${highlight(code, language)}</code></pre></div>\n`;
}

/**
 * Reads a page.
 * @param {string} text
 * @returns {Parsed}
 */
export function parsePage(text) {
  const tokens = marked.lexer(text);
  /** @type {Token[]} */
  const all = [];
  void marked.walkTokens(tokens, (token) => void all.push(token));
  const headings = addAnchors(all);
  const foreign = all.filter(({ type, raw }) => type === 'html' && !COMMENTS.test(raw));
  return {
    tokens,
    title: headings[0]?.text ?? '',
    headings,
    sections: readSections(tokens),
    links: all.filter(isLink),
    faults: [
      ...(headings[0]?.level === 1 ? [] : ['the page must begin with a heading of level 1']),
      ...foreign.map(({ raw }) => `HTML is not supported: ${raw.trim()}`),
    ],
  };
}

/** @param {Token[]} tokens */
export function renderTokens(tokens) {
  return marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="wide"><table>')
    .replaceAll('</table>', '</table></div>');
}

/**
 * Lets the browser keep the room of a picture that is still loading: links to headings below it would miss them otherwise.
 * @param {LinkToken} picture
 * @param {{ width: number, height: number }} size
 */
export function setSize(picture, size) {
  sizes.set(picture, size);
}

/** @param {Token} token @returns {token is LinkToken} */
export function isLink(token) {
  return token.type === 'link' || token.type === 'image';
}

/** @param {Token} token @returns {string} its text as it is read */
function textOf(token) {
  if (token.type === 'br') return ' ';
  if (token.type === 'html') return '';
  const inner = 'tokens' in token ? token.tokens : undefined;
  return inner === undefined ? ('text' in token ? token.text : '') : inner.map(textOf).join('');
}

/**
 * Gives every heading its anchor.
 * @param {Token[]} all tokens of a page
 */
function addAnchors(all) {
  const toAnchor = createAnchors();
  return all.flatMap((token) => {
    if (token.type !== 'heading') return [];
    const text = textOf(token);
    const anchor = toAnchor(text);
    anchors.set(token, anchor);
    return [{ level: Number(token.depth), text, anchor }];
  });
}

/** @param {Token[]} tokens */
function readSections(tokens) {
  /** @type {Section[]} */
  const sections = [];
  for (const token of tokens) {
    const section = sections.at(-1);
    if (token.type === 'heading' && token.depth <= MAX_SECTION_LEVEL) {
      const anchor = section === undefined ? '' : (anchors.get(token) ?? '');
      sections.push({ anchor, heading: textOf(token), text: '' });
    } else if (section !== undefined) section.text += `${blockText(token)}\n`;
  }
  return sections;
}

/** @param {Token} block @returns {string} */
function blockText(block) {
  if (block.type === 'list') return block.items.map(blockText).join('\n');
  if (block.type === 'table') return [block.header, ...block.rows].flat().map(textOf).join('\n');
  if (block.type === 'list_item' || block.type === 'blockquote') return (block.tokens ?? []).map(blockText).join('\n');
  return textOf(block);
}
