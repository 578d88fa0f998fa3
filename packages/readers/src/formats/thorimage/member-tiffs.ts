import { companionMissing } from '../../base/errors.js';
import type { Folder } from '../../io/folder.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';

/** TIFFs that are kept open. */
const MAX_OPEN = 16;

/** The TIFFs of a set, each parsed once while it is used. */
export class MemberTiffs {
  private readonly folder: Folder;
  private readonly tiffs = new Map<string, TiffFile>();

  constructor(folder: Folder) {
    this.folder = folder;
  }

  /** @throws AcqError `companion_missing`, `decode_failed`, `unsupported_format` */
  open(name: string): TiffFile {
    const known = this.tiffs.get(name);
    if (known) return known;
    const source = this.folder.open(name);
    if (!source) throw companionMissing(`"${name}", a file of this set,`, this.folder.path);
    const tiff = openTiff(source);
    this.tiffs.set(name, tiff);
    const [oldest] = this.tiffs.keys();
    if (this.tiffs.size > MAX_OPEN && oldest !== undefined) this.tiffs.delete(oldest);
    return tiff;
  }
}
