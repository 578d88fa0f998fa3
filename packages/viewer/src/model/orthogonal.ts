/** The orthogonal views of a stack: a plane, and the two cross-sections through a cross on it. */

export interface Orthogonal {
  readonly shown: boolean;
  /** The third axis; null for the sections, or for the time points of a file without sections. */
  readonly along: 'T' | 'Z' | null;
  /** Sections, rows and columns of which the pictures show the maximum; 1 for single ones. */
  readonly slab: number;
}

export const NOT_ORTHOGONAL: Orthogonal = { shown: false, along: null, slab: 1 };
export const MAX_SLAB = 99;

/** Checks what a link says of the views; nothing when it is invalid. */
export function toOrthogonal(value: unknown): { orthogonal?: Orthogonal } {
  const { shown, along, slab } = (value ?? {}) as Record<string, unknown>;
  if (typeof shown !== 'boolean') return {};
  return { orthogonal: { shown, along: along === 'T' || along === 'Z' ? along : null, slab: isSlab(slab) ? slab : 1 } };
}

export function isSlab(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_SLAB;
}
