import { grouped } from '../base/wording.js';
import type { TiffPage } from './types.js';

/**
 * Returns the name of a page for messages, such as `page 3 (IFD at offset 8)`. Pages count from 1, as in viewers;
 * a page off the main chain is `the sub-image`.
 */
export function pageLabel(page: Pick<TiffPage, 'index' | 'ifdOffset'>): string {
  const name = page.index >= 0 ? `page ${page.index + 1}` : 'the sub-image';
  return `${name} (IFD at offset ${grouped(page.ifdOffset)})`;
}
