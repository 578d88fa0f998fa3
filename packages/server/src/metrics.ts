/** What an operator wants to count. Labels have no ids and no paths: each value of a label is a series of its own for ever. */
export interface Metrics {
  /** @param route pattern of the address */
  request(labels: { route: string; method: string; status: number }, seconds: number): void;
  /** @param outcome `ok` or the code of the error */
  open(labels: { format: string; outcome: string }, seconds: number): void;
  /** `cache`: were in memory; `decoded`: by an open request; `again`: when they were read. */
  planes(from: 'cache' | 'decoded' | 'again', count: number): void;
  /** A client that was disconnected before it had taken its answer. */
  disconnected(reason: DisconnectReason): void;
  /** A command to the session store. */
  store(labels: { op: string; outcome: string }, seconds: number): void;
}

/**
 * Why a client was disconnected before it had taken its answer. `stalled`: took no byte for too long; `slow`: would have
 * taken too long. The others took no byte for a shorter time, while `memory` was short, after the session had ended, or while
 * the server was `stopping`.
 */
export type DisconnectReason = 'stalled' | 'slow' | 'memory' | 'session_ended' | 'stopping';

/** What is true at this moment. */
export interface Load {
  /** Bytes of planes in memory, and their limit. */
  usedBytes: number;
  budgetBytes: number;
  /** Bytes that decodes and answers take beside planes. */
  scratchBytes: number;
  /** Sessions that this instance knows. */
  sessions: number;
  /** Clients that follow sessions. */
  followers: number;
  /** Opens and reads that wait for a worker. */
  queue: number;
  workers: { busy: number; idle: number; stuck: number };
}
