/** The metadata of Micro-Manager, which are JSON in its own TIFF files and in NDTiff. */

/** Parses a JSON object, up to a NUL that ends it; returns `{}` for anything else. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text.split('\0', 1)[0] ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/** Returns a number, also one that is written as a text; `undefined` for anything else. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value.replace(',', '.')) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
