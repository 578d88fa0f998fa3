import type { TiffFile, TiffPage } from './types.js';

/** `FILE: page 3` or `FILE: the IFD at offset 1234`: how messages name a page (counted from 1, as viewers do). */
export function pageLabel(file: TiffFile, page: Pick<TiffPage, 'index' | 'ifdOffset'>): string {
  const name = page.index >= 0 ? `page ${page.index + 1}` : 'the sub-image';
  return `${file.source.name}: ${name} (IFD at offset ${page.ifdOffset})`;
}
