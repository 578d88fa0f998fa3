/** The vendor's tree of named values, whether it came from the binary or the XML encoding. */
export type Value = boolean | number | string | Uint8Array | Level;

/** A level; children of a list have empty names. */
export class Level {
  readonly entries: { name: string; value: Value }[] = [];

  /** The value at a path of names; `undefined` when any of them is not there. */
  at(...path: string[]): Value | undefined {
    let value: Value | undefined = this;
    for (const name of path) {
      if (!(value instanceof Level)) return undefined;
      value = value.entries.find((entry) => entry.name === name)?.value;
    }
    return value;
  }

  /** A number, or undefined for anything else (booleans count as 0 and 1). */
  number(...path: string[]): number | undefined {
    const value = this.at(...path);
    if (typeof value === 'boolean') return value ? 1 : 0;
    return typeof value === 'number' ? value : undefined;
  }

  text(...path: string[]): string | undefined {
    const value = this.at(...path);
    return typeof value === 'string' ? value : undefined;
  }

  level(...path: string[]): Level | undefined {
    const value = this.at(...path);
    return value instanceof Level ? value : undefined;
  }

  /** Child levels in file order, whatever their names. */
  levels(): Level[] {
    return this.entries.flatMap(({ value }) => (value instanceof Level ? [value] : []));
  }
}

/** Levels that hold the camera's and the filters' settings: most of the bytes, and nothing that is served. */
export const SKIPPED = new Set([
  'sSampleSetting',
  'pCameraSetting',
  'pFilterPath',
  'pFluorescentProbe',
  'sAutoFocusBeforeLoop',
  'sAutoFocusBeforeCapture',
  'pRecordedData',
]);

/**
 * Steps through levels that only wrap: `SLxExperiment`, and in XML `variant` and items of lists.
 * @param root the name that the content's own root may bear
 */
export function unwrap(tree: Level, root: string): Level {
  let level = tree;
  for (let depth = 0; depth < 8; depth++) {
    const [only] = level.entries;
    if (level.entries.length !== 1 || !only || !(only.value instanceof Level)) return level;
    if (!['', root, 'variant'].includes(only.name)) return level;
    level = only.value;
  }
  return level;
}
