import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { BlockSource } from '@acquisition-store/readers/model/samples/block-target.js';
import type { Rounding } from '@acquisition-store/readers/model/samples/rounding.js';
import { bytesPerElement, type SampleType, viewSamples } from '@acquisition-store/readers/model/samples/types.js';
import type { Reply, Request, SentBlock } from './protocol.js';

/**
 * The worker's end of the memory of one plane. Readers are synchronous, so a block that is still on its way is waited
 * for: the thread sleeps until the pool rings the bell.
 */
export class BlockFeed implements BlockSource {
  /** Of the call that the memory came with. */
  readonly id: number;
  readonly rowsPerBlock: number;
  /** To the pool. */
  private readonly port = parentPort!;
  private readonly bell: Int32Array;
  /** All blocks came with the call: they go back with the answer. */
  private readonly isSmall: boolean;
  private readonly held = new Map<number, SentBlock>();
  /** Type of the samples that are put into the blocks. */
  sampleType: SampleType = 'float32';

  /**
   * @param bell see `WorkerSetup`
   * @param blocks those of all `count` blocks that came with the call
   */
  constructor(
    bell: Int32Array,
    id: number,
    { rowsPerBlock, count, blocks }: { rowsPerBlock: number; count: number; blocks: readonly SentBlock[] },
  ) {
    this.bell = bell;
    this.id = id;
    this.rowsPerBlock = rowsPerBlock;
    this.isSmall = blocks.length === count;
    for (const block of blocks) this.add(block);
  }

  /** Adds a block that has arrived. */
  add(block: SentBlock): void {
    this.held.set(block.index, block);
  }

  take(index: number) {
    const { memory, content } = this.held.get(index) ?? this.waitFor(index);
    const length = Math.floor(memory.byteLength / bytesPerElement(this.sampleType));
    return { samples: viewSamples(this.sampleType, memory, length), content };
  }

  give(index: number, rounding?: Rounding): void {
    const block = this.held.get(index);
    if (!block) throw new Error(`block ${index} was not taken`);
    if (rounding) block.rounding = rounding;
    if (this.isSmall) {
      block.content = 'kept';
      return;
    }
    this.held.delete(index);
    this.port.postMessage({ kind: 'block', id: this.id, block } satisfies Reply, [block.memory]);
  }

  /** Returns the blocks that go back with the answer. */
  rest(): SentBlock[] {
    return [...this.held.values()];
  }

  private waitFor(index: number): SentBlock {
    this.port.postMessage({ kind: 'wanted', id: this.id, index } satisfies Reply);
    for (;;) {
      const rings = Atomics.load(this.bell, 0);
      const message: Request | undefined = receiveMessageOnPort(this.port)?.message;
      if (message?.kind === 'block') this.add(message.block);
      else if (message) throw new Error(`unexpected ${message.kind} while a block was awaited`);
      const block = this.held.get(index);
      if (block) return block;
      if (!message) Atomics.wait(this.bell, 0, rings);
    }
  }
}
