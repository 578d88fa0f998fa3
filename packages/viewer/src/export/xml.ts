/** Escapes text for XML and removes characters that XML does not allow. */
export function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return [...text]
    .filter((character) => character >= ' ')
    .map((character) => names[character] ?? character)
    .join('');
}
