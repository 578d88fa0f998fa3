/** Pages whose data are not in the file yet: many writers put the IFD of a page before its data. */

import { missingIfCorrupted } from '../base/errors.js';
import { asCorrupted } from '../base/warning-kinds.js';
import { plural, subjectFirst } from '../base/wording.js';
import { endOfData } from './chunk-table.js';
import type { TiffFile, TiffPage } from './types.js';

/** A recording that is being written lacks the last page, or a few that its program holds back. A damaged file lacks more. */
const MAX_UNWRITTEN = 16;

/** Returns the file without its last pages when their data end behind its end, with a warning; the same file when they do not. */
export function withoutUnwritten(file: TiffFile): { file: TiffFile; warning?: string } {
  let count = file.pageCount;
  while (count > 1 && !isWritten(file, count - 1)) {
    count--;
    if (file.pageCount - count > MAX_UNWRITTEN) return { file };
  }
  const missing = file.pageCount - count;
  if (missing === 0) return { file };
  const [what, are, it] = missing === 1 ? ['page', 'is', 'it'] : [plural(missing, 'page'), 'are', 'they'];
  const warning =
    `the last ${what} ${are} not complete, so ${it} ${are} not shown; ` +
    'the recording is still being written, or was interrupted';
  return { file: new Shortened(file, count), warning: asCorrupted(subjectFirst(file.source.name, warning)) };
}

function isWritten(file: TiffFile, index: number): boolean {
  // The entries of an IFD may be filled in after its data, too.
  try {
    return endOfData(file, file.page(index)) <= file.source.size;
  } catch (error) {
    return missingIfCorrupted(error) ?? false;
  }
}

class Shortened implements TiffFile {
  readonly pageCount: number;
  private readonly file: TiffFile;

  constructor(file: TiffFile, pageCount: number) {
    this.file = file;
    this.pageCount = pageCount;
  }

  get source() {
    return this.file.source;
  }

  get warnings() {
    return this.file.warnings;
  }

  get littleEndian() {
    return this.file.littleEndian;
  }

  get bigTiff() {
    return this.file.bigTiff;
  }

  get chunkCache() {
    return this.file.chunkCache;
  }

  page(index: number): TiffPage {
    return this.file.page(index);
  }

  pageAt(offset: number): TiffPage {
    return this.file.pageAt(offset);
  }
}
