/**
 * Hands the blocks of a plane to a worker a few at a time. The garbage collector counts what an isolate receives: after
 * 64 MiB more than it ever had since the last collection, it collects everything, on the main thread of all places.
 */
import type { MovedBlock, SentBlock, SentMemory } from './protocol.js';
import type { PlaneMemory } from './types.js';

export class BlockFlow {
  private readonly memory: PlaneMemory;
  private readonly aheadBytes: number;
  private readonly states: ('unsent' | 'away' | 'home')[];
  private awayBytes = 0;
  /** No block before this one is unsent. */
  private next = 0;

  /** @param aheadBytes bytes that the worker may have at a time; it gets more only when it waits for them */
  constructor(memory: PlaneMemory, aheadBytes: number) {
    this.memory = memory;
    this.aheadBytes = aheadBytes;
    this.states = memory.blocks.map(() => 'unsent');
  }

  /** True when the worker has no block. */
  get isHome(): boolean {
    return this.awayBytes === 0;
  }

  /** Returns what the worker starts with. The blocks must be transferred, here and below. */
  start(): SentMemory {
    const { rowsPerBlock, blocks } = this.memory;
    return { rowsPerBlock, count: blocks.length, blocks: this.sendAhead() };
  }

  /** Returns the next blocks to send, as many as the worker may have. */
  sendAhead(): SentBlock[] {
    const sent: SentBlock[] = [];
    for (; this.next < this.states.length; this.next++) {
      if (this.states[this.next] !== 'unsent') continue;
      const { byteLength } = this.memory.blocks[this.next]!;
      if (this.awayBytes > 0 && this.awayBytes + byteLength > this.aheadBytes) break;
      sent.push(this.send(this.next));
    }
    return sent;
  }

  /** Returns a block that the worker waits for, unless it is on its way. */
  sendWanted(index: number): SentBlock | undefined {
    const state = this.states[index];
    return state === undefined || state === 'away' ? undefined : this.send(index);
  }

  /** Takes back a block. */
  receive({ index, memory, rounding }: MovedBlock): void {
    const block = this.memory.blocks[index];
    if (!block || this.states[index] !== 'away') return;
    block.buffer = memory;
    if (rounding) block.rounding = rounding;
    this.states[index] = 'home';
    this.awayBytes -= block.byteLength;
  }

  private send(index: number): SentBlock {
    const { buffer, byteLength, isUsed } = this.memory.blocks[index]!;
    const fresh = isUsed ? 'used' : 'zeros';
    const content = this.states[index] === 'unsent' ? fresh : 'kept';
    this.states[index] = 'away';
    this.awayBytes += byteLength;
    return { index, memory: buffer, content };
  }
}
