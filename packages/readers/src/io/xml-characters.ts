/** Characters and references of XML 1.0 (https://www.w3.org/TR/xml/). */

/** Control characters, lone surrogates, and references to them, which vendors write although XML forbids them. */
const FORBIDDEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f]);|0*(?:[0-8]|1[124-9]|2\d|3[01]);)/giu;

/** What may have to be removed; a surrogate may also be half of a character. */
export const UNUSUAL = /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;

const NAMED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Returns the text without what XML forbids, and without zero bytes at the end, which are padding. */
export function withoutForbidden(text: string): { allowed: string; isChanged: boolean } {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  const allowed = text.slice(0, end).replace(FORBIDDEN, '');
  return { allowed, isChanged: allowed.length < end };
}

/** True when `withoutForbidden` changes nothing; it may change nothing either when this is false. */
export function isUsual(text: string): boolean {
  return !UNUSUAL.test(text) && !text.includes('&#');
}

/** Returns the position after the reference that starts at `at`; −1 when it is not valid. */
export function skipReference(text: string, at: number): number {
  const end = text.indexOf(';', at);
  return end < 0 || toCharacter(text.slice(at + 1, end)) === undefined ? -1 : end + 1;
}

/** Replaces line ends by line feeds, and references, all of which must be valid, by characters. */
export function expandText(raw: string): string {
  return expandReferences(withLineFeeds(raw));
}

/** Like `expandText`, for the value of an attribute: each line end and tab is a blank. */
export function expandValue(raw: string): string {
  return expandReferences(withLineFeeds(raw).replace(/[\n\t]/g, ' '));
}

export function withLineFeeds(raw: string): string {
  let text = '';
  let from = 0;
  for (let at = raw.indexOf('\r'); at >= 0; at = raw.indexOf('\r', from)) {
    text += `${raw.slice(from, at)}\n`;
    from = raw[at + 1] === '\n' ? at + 2 : at + 1;
  }
  return from === 0 ? raw : text + raw.slice(from);
}

function expandReferences(raw: string): string {
  let expanded = '';
  let from = 0;
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
    const end = raw.indexOf(';', at);
    expanded += raw.slice(from, at) + toCharacter(raw.slice(at + 1, end));
    from = end + 1;
  }
  return from === 0 ? raw : expanded + raw.slice(from);
}

/** Returns what `&reference;` stands for; `undefined` when it is not valid. */
function toCharacter(reference: string): string | undefined {
  const named = NAMED.get(reference);
  if (named !== undefined) return named;
  if (!/^#(?:x[\da-fA-F]{1,6}|\d{1,7})$/.test(reference)) return undefined;
  const code = reference[1] === 'x' ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  return isCharacter(code) ? String.fromCodePoint(code) : undefined;
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x1_0000 && code <= 0x10_ffff);
}
