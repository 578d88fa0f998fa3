/**
 * Keeps the values used last while their bytes fit a budget; the least recently used one leaves first. Belongs to one
 * open file or acquisition and ends with it.
 */
export class ByteCache<Key, Value> {
  private readonly capacity: number;
  private readonly byteLength: (value: Value) => number;
  private readonly keepNewest: boolean;
  private readonly values = new Map<Key, Value>();
  private bytes = 0;

  /**
   * @param capacity bytes of all values together
   * @param options.keepNewest keeps the newest value even if it alone exceeds the capacity; otherwise it is not kept
   */
  constructor(capacity: number, byteLength: (value: Value) => number, { keepNewest = false } = {}) {
    this.capacity = capacity;
    this.byteLength = byteLength;
    this.keepNewest = keepNewest;
  }

  get(key: Key): Value | undefined {
    const value = this.values.get(key);
    if (value === undefined) return undefined;
    // A Map iterates in insertion order: moving the value to the end makes it the most recently used.
    this.values.delete(key);
    this.values.set(key, value);
    return value;
  }

  /** Keeps a value; one that is already kept under this key stays. */
  put(key: Key, value: Value): void {
    if (this.values.has(key)) return;
    if (this.byteLength(value) > this.capacity && !this.keepNewest) return;
    this.values.set(key, value);
    this.bytes += this.byteLength(value);
    for (const [oldest, dropped] of this.values) {
      if (this.bytes <= this.capacity || oldest === key) break;
      this.values.delete(oldest);
      this.bytes -= this.byteLength(dropped);
    }
  }
}
