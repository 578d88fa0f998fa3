// File types for which desktops offer the application: those of the format table.
import { FORMATS } from '@acquisition-store/readers/formats/index.js';

/** @typedef {import('@acquisition-store/readers/model/acquisition.js').FileType} FileType */

/** @type {readonly FileType[]} */
export const FILE_TYPES = FORMATS.flatMap(({ fileTypes = [] }) => fileTypes);

/**
 * What macOS and Windows list: they know an extension by its last part, so that kinds of TIFF are TIFF.
 * @returns {{ id: string, name: string, extensions: string[] }[]} extensions without dots
 */
export function documentTypes() {
  return FORMATS.flatMap(({ id, fileTypes = [] }) => {
    const [name] = fileTypes.map((type) => type.name);
    const extensions = fileTypes.flatMap((type) => type.extensions).filter((extension) => /^\.[^.]+$/.test(extension));
    return name === undefined ? [] : [{ id: `AcquisitionStore.${id}`, name, extensions: extensions.map(withoutDot) }];
  });
}

/** Describes the types to Linux desktops, except those that these know. */
export function mimeInfo() {
  const types = FILE_TYPES.filter(({ mime }) => !KNOWN.has(mime)).map(describe);
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">\n${types.join('')}</mime-info>\n`
  );
}

/** Adds the types to the entry of the application. @param {string} text of the `.desktop` file */
export function addTypes(text) {
  const words = documentTypes().flatMap(({ extensions }) => extensions);
  return text
    .replace('@KEYWORDS@', words.map((word) => `${word.toUpperCase()};`).join(''))
    .replace('@TYPES@', FILE_TYPES.map(({ mime }) => `${mime};`).join(''));
}

/** Types of shared-mime-info. */
const KNOWN = new Set(['image/tiff']);

/** @param {FileType} type */
function describe({ name, mime, extensions, kindOf, signature }) {
  const lines = [
    `<comment>${name}</comment>`,
    ...(kindOf === undefined ? [] : [`<sub-class-of type="${kindOf}"/>`]),
    ...(signature === undefined ? [] : [`<magic priority="60">${matches(Object.entries(signature))}</magic>`]),
    // A kind before the type that it is a kind of.
    ...extensions.map((extension) => `<glob pattern="*${extension}"${kindOf === undefined ? '' : ' weight="60"'}/>`),
  ];
  return `  <mime-type type="${mime}">\n${lines.map((line) => `    ${line}\n`).join('')}  </mime-type>\n`;
}

/** Each inside the one before: all must match. @param {[string, string][]} signature @returns {string} */
function matches([first, ...others]) {
  if (!first) return '';
  const [offset, text] = first;
  return `<match type="string" value="${escaped(text)}" offset="${offset}">${matches(others)}</match>`;
}

/** @param {string} text of Latin-1 characters */
function escaped(text) {
  return text.replace(/[^\w]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** @param {string} extension */
function withoutDot(extension) {
  return extension.slice(1);
}
