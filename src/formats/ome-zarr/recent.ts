/** Values kept while their bytes fit a budget, least recently used first out. Belongs to one open acquisition. */
export class Recent<Value> {
  private readonly capacity: number;
  private readonly bytesOf: (value: Value) => number;
  private readonly values = new Map<string, Value>();
  private bytes = 0;

  constructor(capacity: number, bytesOf: (value: Value) => number) {
    this.capacity = capacity;
    this.bytesOf = bytesOf;
  }

  get(key: string): Value | undefined {
    const value = this.values.get(key);
    if (value === undefined) return undefined;
    // Last in the map is most recently used.
    this.values.delete(key);
    this.values.set(key, value);
    return value;
  }

  put(key: string, value: Value): void {
    if (this.bytesOf(value) > this.capacity || this.values.has(key)) return;
    this.values.set(key, value);
    this.bytes += this.bytesOf(value);
    for (const [oldest, dropped] of this.values) {
      if (this.bytes <= this.capacity) break;
      this.values.delete(oldest);
      this.bytes -= this.bytesOf(dropped);
    }
  }
}
