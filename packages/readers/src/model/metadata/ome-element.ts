export type XmlAttributes = Readonly<Record<string, string | number>>;

/** Returns an XML element. @param inside is markup */
export function element(name: string, attributes: XmlAttributes, inside = ''): string {
  return inside === ''
    ? `<${name}${attributesText(attributes)}/>`
    : `<${name}${attributesText(attributes)}>${inside}</${name}>`;
}

export function attributesText(attributes: XmlAttributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes a text for an attribute. Characters that XML does not allow are replaced by U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character]!);
}
