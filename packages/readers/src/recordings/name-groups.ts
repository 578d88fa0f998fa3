/**
 * Names of a folder by what they have in common. Each of thousands of files asks for the names like its own: they are parsed
 * once for each list of names, which stays the same object while nothing changes in its folder.
 */

/** Groups of names, made when a list is first asked about. */
export class NameGroups<Parsed extends { pattern: string }, Group> {
  private readonly parse: (name: string) => Parsed | undefined;
  private readonly finish: (same: Parsed[]) => Group;
  private readonly lists = new WeakMap<readonly string[], Map<string, Parsed[]>>();
  private readonly finished = new WeakMap<Parsed[], { group: Group }>();

  /**
   * @param parse returns nothing for a name that is like no other one
   * @param finish returns what is to be known of names with one pattern
   */
  constructor(parse: (name: string) => Parsed | undefined, finish: (same: Parsed[]) => Group) {
    this.parse = parse;
    this.finish = finish;
  }

  /** Returns what is known of the names in a list that have the pattern of a name. */
  find(name: string, names: readonly string[]): Group | undefined {
    const pattern = this.parse(name)?.pattern;
    const same = pattern === undefined ? undefined : this.patternsOf(names).get(pattern);
    if (!same) return undefined;
    const known = this.finished.get(same) ?? { group: this.finish(same) };
    this.finished.set(same, known);
    return known.group;
  }

  private patternsOf(names: readonly string[]): Map<string, Parsed[]> {
    const known = this.lists.get(names);
    if (known) return known;
    const patterns = new Map<string, Parsed[]>();
    for (const name of names) {
      const parsed = this.parse(name);
      if (!parsed) continue;
      const same = patterns.get(parsed.pattern);
      if (same) same.push(parsed);
      else patterns.set(parsed.pattern, [parsed]);
    }
    this.lists.set(names, patterns);
    return patterns;
  }
}

const places = new WeakMap<readonly unknown[], Map<string, number>>();

/** Returns the index of a name in a list that does not change; -1 when it is not there. */
export function placeOf<T>(name: string, list: readonly T[], nameOf: (item: T) => string): number {
  let known = places.get(list);
  if (!known) {
    known = new Map(list.map((item, i) => [nameOf(item), i]));
    places.set(list, known);
  }
  return known.get(name) ?? -1;
}
