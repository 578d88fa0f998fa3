/** Color tables that the user has added from files, which this browser keeps. */
import { isTableLut } from './luts.ts';

export interface UserLut {
  /** The table itself, as `tableLut` writes it. */
  readonly id: string;
  /** Name of its file without the extension. */
  readonly name: string;
}

export const MAX_USER_LUTS = 20;
const MAX_NAME = 60;

/** Returns the list with a table at its end. The oldest one is dropped when there are too many. */
export function addUserLut(list: readonly UserLut[], { id, name }: UserLut): readonly UserLut[] {
  const others = list.filter((lut) => lut.id !== id);
  return [...others, { id, name: name.slice(0, MAX_NAME) }].slice(-MAX_USER_LUTS);
}

/** Returns the valid entries of a stored list. */
export function toUserLuts(value: unknown): readonly UserLut[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_USER_LUTS).flatMap((entry: unknown) => {
    const { id, name } = Object(entry) as Partial<Record<keyof UserLut, unknown>>;
    const valid = typeof id === 'string' && isTableLut(id) && typeof name === 'string' && name !== '';
    return valid ? [{ id, name: name.slice(0, MAX_NAME) }] : [];
  });
}
