/** The addresses of the server, and the methods of each: for 405 with `Allow`, for preflights, and for a slash at the end. */
import type { Access } from './caller.js';

export class Addresses {
  readonly #entries = new Map<string, { segments: string[]; methods: Map<string, Access> }>();

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

/** What an absolute request target has before its path. */
const ABSOLUTE = /^http:\/\/[^/]*/;

function matches(pattern: string[], segments: string[]): boolean {
  if (pattern.at(-1) === '*') return segments.length >= pattern.length && startsWith(pattern.slice(0, -1), segments);
  return pattern.length === segments.length && startsWith(pattern, segments);
}

function startsWith(pattern: string[], segments: string[]): boolean {
  return pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]));
}
