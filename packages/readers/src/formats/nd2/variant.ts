/** The vendor's tree of named values, which both the binary and the XML encoding are parsed into. */
export type VariantValue = boolean | number | string | Uint8Array | VariantLevel;

/** A level of a tree. The items of a list have empty names. */
export class VariantLevel {
  readonly entries: { name: string; value: VariantValue }[] = [];

  /** Returns the value at a path of names; `undefined` when any of them is missing. */
  at(...path: string[]): VariantValue | undefined {
    let value: VariantValue | undefined = this;
    for (const name of path) {
      if (!(value instanceof VariantLevel)) return undefined;
      value = value.entries.find((entry) => entry.name === name)?.value;
    }
    return value;
  }

  /** Returns the number at a path, with booleans as 0 and 1; `undefined` for anything else. */
  number(...path: string[]): number | undefined {
    const value = this.at(...path);
    if (typeof value === 'boolean') return value ? 1 : 0;
    return typeof value === 'number' ? value : undefined;
  }

  text(...path: string[]): string | undefined {
    const value = this.at(...path);
    return typeof value === 'string' ? value : undefined;
  }

  level(...path: string[]): VariantLevel | undefined {
    const value = this.at(...path);
    return value instanceof VariantLevel ? value : undefined;
  }

  /** Returns all child levels in file order, regardless of their names. */
  levels(): VariantLevel[] {
    return this.entries.flatMap(({ value }) => (value instanceof VariantLevel ? [value] : []));
  }
}

/** What is parsed of a tree. */
export interface ParsedLevels {
  /** Levels that are not. */
  skip: ReadonlySet<string>;
  /** Levels of which only the values whose names begin like these are kept. */
  keep: ReadonlyMap<string, readonly string[]>;
}

export const EVERYTHING: ParsedLevels = { skip: new Set(), keep: new Map() };

/** Settings of cameras and autofocus take most of the bytes, and nothing of them is used. */
const SKIPPED = new Set([
  'FormatFast',
  'FormatQuality',
  'PropertiesFast',
  'PropertiesQuality',
  'PropertiesFast_Extra',
  'PropertiesQuality_Extra',
  'sAutoFocusBeforeLoop',
  'sAutoFocusBeforeCapture',
  'pRecordedData',
]);

/** What readers use. The settings of devices are most of the records; only lasers and the microscope matter. */
export const USED: ParsedLevels = {
  skip: SKIPPED,
  keep: new Map([
    [
      'pDeviceSetting',
      ['m_bMultiLaserLineUsed', 'm_uiMultiLaserLineWavelength', 'm_dMultiLaserLinePower', 'm_sMicroscope'],
    ],
  ]),
};

/**
 * Skips wrapper levels that have a single child: `SLxExperiment`, and in XML `variant` and list items.
 * @param root name that the root of the content may have
 */
export function unwrap(tree: VariantLevel, root: string): VariantLevel {
  let level = tree;
  for (let depth = 0; depth < 8; depth++) {
    const [only] = level.entries;
    if (level.entries.length !== 1 || !only || !(only.value instanceof VariantLevel)) return level;
    if (!['', root, 'variant'].includes(only.name)) return level;
    level = only.value;
  }
  return level;
}

/** Returns `value` when it is a positive, finite number. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}
