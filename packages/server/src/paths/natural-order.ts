/** Names as people read them: `scan 2` before `scan 10`. */

const collator = new Intl.Collator('en', { numeric: true });
const [FIRST, LAST] = [0x20, 0x7e];
const [ZERO, NINE] = [0x30, 0x39];
/** Digits of a number in a key. The collator divides longer ones. */
const MAX_DIGITS = 200;
/** Characters of a name with a key. Each takes up to three bytes of it. */
const MAX_CHARACTERS = 1_024;
const scratch = Buffer.alloc(3 * MAX_CHARACTERS);

/** Places of the printable characters of ASCII in the order of the collator: a letter has one for both cases. */
const places = placesOf(new Intl.Collator('en', { sensitivity: 'base' }));

/**
 * Sorts by names in natural order, and by their characters where that makes no difference. Asks the collator about few
 * of them: it takes longer for a large folder than the disk.
 */
export function sortByName<T extends { name: string }>(list: readonly T[]): T[] {
  const keyed = list.map((item) => ({ item, name: item.name, key: keyOf(item.name) }));
  keyed.sort((a, b) => {
    if (a.key !== undefined && b.key !== undefined && a.key !== b.key) return a.key < b.key ? -1 : 1;
    return collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
  });
  return keyed.map(({ item }) => item);
}

/**
 * Returns a text that sorts by its characters as the name does in the collator, apart from case and leading zeros; nothing
 * for a name with other characters than the printable ones of ASCII.
 */
function keyOf(name: string): string | undefined {
  if (name.length > MAX_CHARACTERS) return undefined;
  let length = 0;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code < FIRST || code > LAST) return undefined;
    scratch[length++] = places[code]!;
    if (!isDigit(code)) continue;
    while (name.charCodeAt(i) === ZERO) i++;
    const first = i;
    // Of two numbers without leading zeros, the one with more digits is larger.
    const countAt = length++;
    for (; isDigit(name.charCodeAt(i)); i++) scratch[length++] = name.charCodeAt(i);
    if (i - first > MAX_DIGITS) return undefined;
    scratch[countAt] = i - first;
    i--;
  }
  return scratch.toString('latin1', 0, length);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function placesOf(order: Intl.Collator): Uint8Array {
  const codes = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  const compare = (a: number, b: number) => order.compare(String.fromCharCode(a), String.fromCharCode(b));
  const places = new Uint8Array(LAST + 1);
  let place = 0;
  for (const [i, code] of codes.sort(compare).entries()) {
    if (i === 0 || compare(codes[i - 1]!, code) !== 0) place++;
    places[code] = place;
  }
  // A number has the place of its first digit, whatever that is.
  return places.fill(places[ZERO]!, ZERO, NINE + 1);
}
