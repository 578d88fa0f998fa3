// The anchors of headings, as GitHub makes them: the same links work there and in the site.

/**
 * Returns a function that gives the headings of one page their anchors, in their order: the second of two equal ones ends with `-1`.
 * @returns {(heading: string) => string}
 */
export function createAnchors() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}
