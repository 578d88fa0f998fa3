/** The folders that paths are confined to. */
import type { Look, PathEntry } from './look.js';
import { isConfinedTo, isInside, type PathPolicy } from './policy.js';

/** Judges real paths, for one look-up. */
export class Confinement {
  readonly isConfined: boolean;
  private readonly policy: PathPolicy;
  private readonly look: Look;
  /** The folders of the caller without links, found when the first path is judged. */
  private folders: readonly string[] | undefined;

  constructor(policy: PathPolicy, look: Look) {
    this.policy = policy;
    this.look = look;
    this.isConfined = isConfinedTo(policy);
  }

  /** True when a real path is inside one of the roots, and inside one of the folders of the caller. */
  allows(real: string): boolean {
    const { roots, folders, platform } = this.policy;
    const isIn = (folder: string) => isInside(real, folder, platform);
    if (roots.length > 0 && !roots.some(isIn)) return false;
    if (folders === undefined) return true;
    this.folders ??= folders.flatMap((folder) => this.resolve(folder));
    return this.folders.some(isIn);
  }

  /** True when what was found at `real` may be told: a link may have led elsewhere since `real` was found. */
  allowsEntry(found: PathEntry, real: string): boolean {
    return this.allows(real) && (found.real === real || this.allows(found.real));
  }

  /**
   * Skips folders that do not exist, and those on a storage that may not be accessed: the path to judge was found without
   * that storage, so it is not on it.
   */
  private resolve(folder: string): string[] {
    try {
      return [this.look.realpath(folder)];
    } catch {
      return [];
    }
  }
}
