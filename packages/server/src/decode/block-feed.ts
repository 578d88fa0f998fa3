import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { BlockSource, RowBlock } from '@acquisition-store/readers/model/samples/block-target.js';
import type { Rounding } from '@acquisition-store/readers/model/samples/rounding.js';
import { bytesPerElement, type SampleType, viewSamples } from '@acquisition-store/readers/model/samples/types.js';
import type { CallRequest, Reply, Request, SentBlock } from './protocol.js';

/**
 * The worker's end of the memory of one plane. Readers are synchronous, so a block that is still on its way is waited
 * for: the thread sleeps until the pool rings the bell.
 */
export class BlockFeed implements BlockSource {
  readonly rowsPerBlock: number;
  readonly id: number;
  private readonly port: MessagePort;
  private readonly bell: Int32Array;
  /** All blocks came with the request: they go back with the answer. */
  private readonly isSmall: boolean;
  private readonly held = new Map<number, SentBlock>();
  /** Type of the samples that are put into the blocks. */
  sampleType: SampleType = 'float32';

  constructor(
    id: number,
    { rowsPerBlock, count, blocks }: NonNullable<CallRequest['memory']>,
    port: MessagePort,
    bell: Int32Array,
  ) {
    this.id = id;
    this.rowsPerBlock = rowsPerBlock;
    this.port = port;
    this.bell = bell;
    this.isSmall = blocks.length === count;
    for (const block of blocks) this.add(block);
  }

  /** Adds a block that has arrived. */
  add(block: SentBlock): void {
    this.held.set(block.index, block);
  }

  take(index: number): RowBlock {
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
      const message = receiveMessageOnPort(this.port)?.message as Request | undefined;
      if (message?.kind === 'block') this.add(message.block);
      else if (message) throw new Error(`unexpected ${message.kind} while a block was awaited`);
      const block = this.held.get(index);
      if (block) return block;
      if (!message) Atomics.wait(this.bell, 0, rings);
    }
  }
}

/** Returns the blocks `first`, `first + step`, `first + 2 · step`, … as the memory of one plane. */
export function everyNth(source: BlockSource, first: number, step: number): BlockSource {
  return {
    rowsPerBlock: source.rowsPerBlock,
    take: (index) => source.take(first + index * step),
    give: (index, rounding) => source.give(first + index * step, rounding),
  };
}
