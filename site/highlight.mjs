// Colors code: comments, strings, numbers and keywords. That is enough to read examples of a few lines, in a hundred lines instead of
// megabytes of grammars.

/**
 * @typedef {object} Language how its parts are recognized; each pattern is the source of a regular expression
 * @property {string} [comment]
 * @property {string} [string]
 * @property {string} [number]
 * @property {string} [key] names that stand out: keys of JSON, tags, options of commands
 * @property {string} [keywords] separated by spaces
 */

const LINE_STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;
const NUMBER = String.raw`\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
const HASH = String.raw`(?<![^\s])#.*`;

/** @type {Language} */
const C_LIKE = {
  comment: String.raw`\/\/.*|\/\*[\s\S]*?\*\/`,
  number: NUMBER,
  string: `${LINE_STRING}|\`(?:\\\\.|[^\`\\\\])*\``,
  keywords:
    'as async await boolean break case catch class const continue def default delete do else enum export extends false final finally ' +
    'float for from function if implements import in instanceof int interface let long new null of package private public ' +
    'readonly return static string super switch this throw true try type typeof undefined var void while yield',
};
/** @type {Language} */
const PYTHON = {
  comment: HASH,
  number: NUMBER,
  string: String.raw`[rbf]{0,2}"""[\s\S]*?"""|[rbf]{0,2}(?:${LINE_STRING})`,
  keywords:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is ' +
    'lambda None nonlocal not or pass raise return True try while with yield rule input output params shell config',
};
/** @type {Language} */
const SHELL = {
  comment: HASH,
  string: LINE_STRING,
  key: String.raw`(?<=\s|\[)--?[a-zA-Z][\w-]*`,
  keywords: 'case cd do done echo elif else esac export fi for function if in set sudo then while',
};
/** @type {Language} */
const SETTINGS = { comment: HASH, string: LINE_STRING };
/** @type {Language} */
const MARKUP = {
  comment: String.raw`<!--[\s\S]*?-->`,
  string: `(?<==)(?:"[^"]*"|'[^']*')`,
  key: String.raw`<[\/!?]?[A-Za-z][\w:.-]*|\/?>`,
};
/** @type {Language} */
const MATLAB = {
  comment: '%.*',
  number: NUMBER,
  string: String.raw`"[^"\n]*"|(?<![\w)\]}.'])'[^'\n]*'`,
  keywords:
    'break case catch continue do else elseif end for function global if otherwise return switch try until while',
};

/** @type {Record<string, Language>} */
const LANGUAGES = {
  ...{ js: C_LIKE, mjs: C_LIKE, ts: C_LIKE, ojs: C_LIKE, java: C_LIKE, groovy: C_LIKE, ijm: C_LIKE },
  ...{ python: PYTHON, py: PYTHON, snakefile: PYTHON },
  ...{ sh: SHELL, console: SHELL, containerfile: SHELL },
  ...{
    ini: SETTINGS,
    nginx: SETTINGS,
    haproxy: SETTINGS,
    yaml: SETTINGS,
    conf: SETTINGS,
    cfg: SETTINGS,
    service: SETTINGS,
  },
  ...{ html: MARKUP, xml: MARKUP, matlab: MATLAB },
  json: {
    number: NUMBER,
    string: LINE_STRING,
    key: String.raw`"(?:\\.|[^"\\\n])*"(?=\s*:)`,
    keywords: 'false null true',
  },
};

/**
 * Returns code as HTML, whose text is exactly the code.
 * @param {string} code
 * @param {string} language as it follows the opening fence, or the extension of a file
 */
export function highlight(code, language) {
  const rules = LANGUAGES[language.toLowerCase()];
  if (rules === undefined) return escapeHtml(code);
  const keywords = new Set(rules.keywords?.split(' '));
  let html = '';
  let end = 0;
  for (const match of code.matchAll(patternOf(rules))) {
    html += escapeHtml(code.slice(end, match.index));
    end = match.index + match[0].length;
    const [kind = ''] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    const shown = kind === 'word' ? (keywords.has(match[0]) ? 'key' : '') : kind;
    const text = escapeHtml(match[0]);
    html += shown === '' ? text : `<span class="${shown}">${text}</span>`;
  }
  return html + escapeHtml(code.slice(end));
}

/**
 * @param {Language} rules
 * @returns {RegExp} with one group for each kind
 */
function patternOf({ comment, key, string, number }) {
  const kinds = Object.entries({ comment, key, string, number, word: String.raw`[A-Za-z_$][\w$]*` });
  const groups = kinds.flatMap(([kind, source]) => (source === undefined ? [] : [`(?<${kind}>${source})`]));
  return new RegExp(groups.join('|'), 'g');
}

/** @param {string} text */
export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
