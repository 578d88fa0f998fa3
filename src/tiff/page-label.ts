import { basename } from 'node:path';
import type { TiffFile, TiffPage } from './types.js';

/** `scan.tif: page 3` or `scan.tif: the sub-image`, with the offset of its IFD: how messages name a page (counted from 1, as viewers do). */
export function pageLabel(file: TiffFile, page: Pick<TiffPage, 'index' | 'ifdOffset'>): string {
  const name = page.index >= 0 ? `page ${page.index + 1}` : 'the sub-image';
  return `${basename(file.source.name)}: ${name} (IFD at offset ${page.ifdOffset})`;
}
