/** More than the rows of all channels that are decoded together. */
const RECENT_BYTES = 16 * 2 ** 20;
/** A piece is looked for in all slots. */
const MAX_SLOTS = 256;

interface Slot<Value> {
  /** Empty when the piece could not be read. */
  key: string;
  memory: Uint8Array<ArrayBuffer>;
  value: Value | undefined;
}

/**
 * The pieces of a file that were read last, in memory that is used again and again. Channels that are stored
 * together are read some rows at a time, one after the other: the first one reads the file, the others find it here.
 */
export class RecentPieces<Value> {
  private readonly maxBytes: number;
  private readonly slots: Slot<Value>[] = [];
  private bytes = 0;
  private next = 0;

  /** @param maxBytes memory of all pieces together; the last one is kept even when it is larger */
  constructor(maxBytes: number = RECENT_BYTES) {
    this.maxBytes = maxBytes;
  }

  /**
   * Returns a piece, which must not be changed and is valid until the next call.
   * @param load reads the piece into memory of `bytes` bytes, unless it is here
   */
  read(key: string, bytes: number, load: (memory: Uint8Array<ArrayBuffer>) => Value): Value {
    for (const slot of this.slots) if (slot.key === key && slot.value !== undefined) return slot.value;
    const slot = this.claim(bytes);
    const value = load(slot.memory.subarray(0, bytes));
    slot.key = key;
    slot.value = value;
    return value;
  }

  /** Returns a new slot while there is room, otherwise that of the oldest piece. */
  private claim(bytes: number): Slot<Value> {
    const isRoom = this.slots.length < MAX_SLOTS && this.bytes + bytes <= this.maxBytes;
    if (isRoom || this.slots.length === 0) {
      this.bytes += bytes;
      const slot = { key: '', memory: new Uint8Array(bytes), value: undefined };
      this.slots.push(slot);
      return slot;
    }
    this.next %= this.slots.length;
    const slot = this.slots[this.next++]!;
    slot.key = '';
    slot.value = undefined;
    if (slot.memory.length < bytes) {
      this.bytes += bytes - slot.memory.length;
      slot.memory = new Uint8Array(bytes);
    }
    return slot;
  }
}
