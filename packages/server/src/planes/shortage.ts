/** What is said when memory has no room. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';

/** A limit that was reached. */
export interface MemoryLimit {
  bytes: number;
  /** Whose limit it is; everybody's when omitted. */
  owner?: string | undefined;
}

/** There is no room now, and may be later. */
export class Shortage extends AcqError {
  /** Set when the limit of this owner is reached. */
  readonly owner: string | undefined;

  constructor(byteLength: number, limit: MemoryLimit) {
    const others = limit.owner === undefined ? 'other planes' : 'other planes of yours';
    super(
      'capacity_exceeded',
      `${describe(byteLength, limit)}, and ${others} are being decoded or sent. Try again in a few seconds.`,
    );
    this.owner = limit.owner;
  }
}

/** Runs `take`, and returns why there is no room for it at the moment. @throws what else it throws */
export function shortageOf(take: () => void): Shortage | undefined {
  try {
    take();
    return undefined;
  } catch (error) {
    if (error instanceof Shortage) return error;
    throw error;
  }
}

/** Why a decode ends that nobody has asked for. */
export function notNeeded(): AcqError {
  return new AcqError('capacity_exceeded', 'The plane was to be decoded before it was asked for, and is not needed.');
}

export function tooLarge(byteLength: number, limit: MemoryLimit): AcqError {
  return new AcqError('plane_too_large', `${describe(byteLength, limit)}. Ask for fewer channels, or raise the limit.`);
}

function describe(byteLength: number, { bytes, owner }: MemoryLimit): string {
  const limit =
    owner === undefined
      ? `the limit is ${grouped(bytes)} (--memory-budget)`
      : `the limit of each user is ${grouped(bytes)} (--memory-per-owner)`;
  return `This needs ${grouped(byteLength)} bytes of memory; ${limit}`;
}
