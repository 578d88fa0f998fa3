import type { Access } from './policy.js';

interface Entry {
  segments: string[];
  methods: Map<string, Access>;
}

/** Which methods each address has: for 405 with `Allow`, and for preflights, which come before the route. */
export class RouteTable {
  readonly #entries = new Map<string, Entry>();

  /** `pattern` in the framework's form, e.g. `/sessions/:sessionId`. */
  add(pattern: string, method: string, access: Access): void {
    let entry = this.#entries.get(pattern);
    if (!entry) {
      entry = { segments: pattern.split('/'), methods: new Map() };
      this.#entries.set(pattern, entry);
    }
    entry.methods.set(method, access);
  }

  /** Methods of the address `url` (its query is ignored); `undefined` when there is no such address. */
  methods(url: string): ReadonlyMap<string, Access> | undefined {
    const segments = (url.split('?', 1)[0] as string).split('/');
    for (const entry of this.#entries.values()) {
      if (matches(entry.segments, segments)) return entry.methods;
    }
    return undefined;
  }
}

function matches(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))
  );
}
