import type { Access } from './policy.js';

interface TableRoute {
  segments: string[];
  methods: Map<string, Access>;
}

/** What an absolute request target has before its path. */
const ABSOLUTE = /^http:\/\/[^/]*/;

/** Knows the methods of each address, for 405 with `Allow` and for preflights, which have no route. */
export class RouteTable {
  readonly #entries = new Map<string, TableRoute>();

  /** Adds a route. `pattern` is in the framework's form: `/sessions/:sessionId`, or `/files/*` for one or more segments. */
  add(pattern: string, method: string, access: Access): void {
    let entry = this.#entries.get(pattern);
    if (!entry) {
      entry = { segments: pattern.split('/'), methods: new Map() };
      this.#entries.set(pattern, entry);
    }
    entry.methods.set(method, access);
  }

  /**
   * Returns the request target (RFC 9112 §3.2) as the framework finds its route. It keeps the authority of an absolute one, which
   * the guard checks. Others, such as `*`, would be taken for `/`: they become addresses of nothing.
   */
  toAddress(target: string): string {
    if (target.startsWith('/')) return this.withoutSlash(target);
    const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
    if (authority === undefined) return `/${target}`;
    return `http://${authority}${this.withoutSlash(rest.startsWith('/') ? rest : `/${rest}`)}`;
  }

  /**
   * Returns the address of an API request without the slash at its end, unless an address with that slash exists: a file of an
   * upload and a key of a store may end with one.
   */
  withoutSlash(url: string): string {
    const [path = ''] = url.split('?', 1);
    if (!path.startsWith('/api/') || !path.endsWith('/')) return url;
    const shorter = path.slice(0, -1);
    const isOnlyWithout = this.methods(path) === undefined && this.methods(shorter) !== undefined;
    return isOnlyWithout ? shorter + url.slice(path.length) : url;
  }

  /** Returns the methods of an address, ignoring its query; `undefined` when the address does not exist. */
  methods(url: string): ReadonlyMap<string, Access> | undefined {
    const segments = url.replace(ABSOLUTE, '').split('?', 1)[0]!.split('/');
    for (const entry of this.#entries.values()) {
      if (matches(entry.segments, segments)) return entry.methods;
    }
    return undefined;
  }
}

function matches(pattern: string[], segments: string[]): boolean {
  if (pattern.at(-1) === '*') return segments.length >= pattern.length && startsWith(pattern.slice(0, -1), segments);
  return pattern.length === segments.length && startsWith(pattern, segments);
}

function startsWith(pattern: string[], segments: string[]): boolean {
  return pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]));
}
