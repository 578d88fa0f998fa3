/** Whose turn it is, so that nobody waits for all that somebody else has asked for. */

/** Whose work waits. Parties take turns, and within a party its sessions do. */
export interface Who {
  /** Those who compete with others as one; see `partyOf`. */
  party: string;
  session: string;
}

/**
 * A line in which parties take turns. Those that were served last stand at the end, also when nothing of them waits at the
 * moment: they are forgotten when their turn comes.
 */
export class FairLine<T extends { readonly who: Who }> {
  /** What waits of each session of each party, in the order in which it came. */
  private readonly parties = new Map<string, Map<string, Set<T>>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(item: T): void {
    const { party, session } = item.who;
    const sessions = this.parties.get(party) ?? new Map<string, Set<T>>();
    const items = sessions.get(session) ?? new Set();
    this.parties.set(party, sessions);
    sessions.set(session, items);
    items.add(item);
    this.count++;
  }

  delete(item: T): void {
    const { party, session } = item.who;
    const sessions = this.parties.get(party);
    const items = sessions?.get(session);
    if (!items?.delete(item)) return;
    this.count--;
    if (items.size === 0) sessions?.delete(session);
    if (sessions?.size === 0) this.parties.delete(party);
  }

  /** Returns whose turn it is, among those that may go. */
  peek(mayGo: (item: T) => boolean = () => true): T | undefined {
    for (const sessions of this.parties.values()) {
      for (const items of sessions.values()) {
        for (const item of items) if (mayGo(item)) return item;
      }
    }
    return undefined;
  }

  /** Removes an item that is served: its party and session go to the end. */
  serve(item: T): void {
    const { party, session } = item.who;
    const sessions = this.parties.get(party);
    if (!sessions?.get(session)?.delete(item)) return;
    this.count--;
    turnTo(party, this.parties, (others) => countOf(others) === 0);
    turnTo(session, sessions, ({ size }) => size === 0);
  }

  /**
   * Returns who leaves a full line for a newcomer: the last of the party that has the most, if that party has more than the
   * newcomer's would have.
   */
  findSurplus({ party }: Who): T | undefined {
    let largest: Map<string, Set<T>> | undefined;
    let most = countOf(this.parties.get(party)) + 1;
    for (const sessions of this.parties.values()) {
      const count = countOf(sessions);
      if (count <= most) continue;
      most = count;
      largest = sessions;
    }
    const [items] = [...(largest?.values() ?? [])].sort((a, b) => b.size - a.size);
    return items && [...items].at(-1);
  }
}

/** Puts an entry at the end. Those before it have had their turn: the ones without work are forgotten. */
function turnTo<Value>(name: string, entries: Map<string, Value>, isEmpty: (value: Value) => boolean): void {
  for (const [other, value] of entries) {
    if (other === name) {
      entries.delete(name);
      entries.set(name, value);
      return;
    }
    if (isEmpty(value)) entries.delete(other);
  }
}

function countOf(sessions: ReadonlyMap<string, ReadonlySet<unknown>> | undefined): number {
  let count = 0;
  for (const items of sessions?.values() ?? []) count += items.size;
  return count;
}
