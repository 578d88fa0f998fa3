/** Enough for the files of a set, of which there may be thousands: planes are usually read in their order. */
const MOST = 16;

/** Keeps what was used last. What is dropped is made again when it is needed. */
export class LastUsed<Value> {
  private readonly values = new Map<string, Value>();

  /** Returns the value of a name, made by `make` unless it is still known. @throws what `make` throws */
  get(name: string, make: () => Value): Value {
    const known = this.values.get(name);
    const value = known ?? make();
    this.set(name, value);
    return value;
  }

  set(name: string, value: Value): void {
    this.values.delete(name);
    this.values.set(name, value);
    const [oldest] = this.values.keys();
    if (this.values.size > MOST && oldest !== undefined) this.values.delete(oldest);
  }

  delete(name: string): void {
    this.values.delete(name);
  }
}

/** Keeps what is opened, in this or a later turn. What could not be opened is tried again. */
export class LastOpened<Value> {
  private readonly values = new LastUsed<Promise<Value>>();

  open(name: string, make: () => Promise<Value>): Promise<Value> {
    let isNew = false;
    const value = this.values.get(name, () => {
      isNew = true;
      return make();
    });
    if (isNew) value.catch(() => this.values.delete(name));
    return value;
  }

  keep(name: string, value: Value): void {
    this.values.set(name, Promise.resolve(value));
  }
}
