import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Type } from 'typebox';
import Value from 'typebox/value';
import { writeAtomic } from './atomic-file.js';
import type { RecentFile } from './protocol.js';

const MAX_FILES = 12;
const RecentList = Type.Array(
  Type.Object({ path: Type.String({ minLength: 1 }), name: Type.String(), openedAt: Type.Number() }),
);

/** Acquisitions that were opened from this application, newest first, stored in a file that only this user can read. */
export class RecentFiles {
  private readonly path: string;
  list: RecentFile[];

  constructor(path: string) {
    this.path = path;
    this.list = readList(path);
  }

  add(path: string): void {
    const rest = this.list.filter((file) => file.path !== path);
    this.keep([{ path, name: basename(path), openedAt: Date.now() }, ...rest].slice(0, MAX_FILES));
  }

  clear(): void {
    this.keep([]);
  }

  private keep(list: RecentFile[]): void {
    this.list = list;
    try {
      writeAtomic(this.path, `${JSON.stringify(list, null, 2)}\n`);
    } catch {
      // The list lasts until the application ends.
    }
  }
}

function readList(path: string): RecentFile[] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Value.Check(RecentList, parsed) ? parsed.slice(0, MAX_FILES) : [];
  } catch {
    return [];
  }
}
