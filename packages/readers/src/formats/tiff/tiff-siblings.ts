import type { Siblings } from '../../io/folder.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';

/** The files beside the opened one, read as TIFF. Each file is parsed once. */
export class TiffSiblings {
  readonly siblings: Siblings;
  private readonly parsed = new Map<string, TiffFile>();

  constructor(siblings: Siblings) {
    this.siblings = siblings;
  }

  /**
   * Opens a TIFF by its name in the folder, ignoring case if no name matches exactly; `undefined` if it is missing.
   * @throws AcqError `decode_failed`, `unsupported_format` if the file is not a readable TIFF
   */
  open(name: string): TiffFile | undefined {
    const source = this.siblings.openAnyCase(name);
    if (!source) return undefined;
    const file = this.parsed.get(source.name) ?? openTiff(source);
    this.parsed.set(source.name, file);
    return file;
  }
}
