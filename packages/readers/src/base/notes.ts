/** Warnings shown for one scene. */
const MAX_NOTES = 100;

/**
 * Collects what a reader assumed, repaired or found inconsistent. Each text is kept once, in the order of arrival; texts
 * beyond the first 100 are only counted. Readers add to it while they work and return `list()` as the warnings of a
 * scene.
 */
export class Notes {
  private readonly texts = new Set<string>();
  private dropped = 0;

  add(text: string): void {
    if (this.texts.has(text)) return;
    if (this.texts.size < MAX_NOTES) this.texts.add(text);
    else this.dropped++;
  }

  addAll(texts: Iterable<string> | Notes): void {
    for (const text of texts instanceof Notes ? texts.texts : texts) this.add(text);
    if (texts instanceof Notes) this.dropped += texts.dropped;
  }

  /** Returns at most 100 texts; the last one says how many more there are. */
  list(): string[] {
    const texts = [...this.texts];
    if (this.dropped === 0) return texts;
    return [...texts.slice(0, MAX_NOTES - 1), `… and ${this.dropped + 1} more warnings.`];
  }
}

/** Returns the warnings of a scene, then those of its file. */
export function sceneWarnings(own: Iterable<string>, ofFile: Notes): string[] {
  const all = notesOf(own);
  all.addAll(ofFile);
  return all.list();
}

/** Returns notes with these texts. */
export function notesOf(texts: Iterable<string>): Notes {
  const notes = new Notes();
  notes.addAll(texts);
  return notes;
}
