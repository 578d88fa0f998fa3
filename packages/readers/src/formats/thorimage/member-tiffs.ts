import { companionMissing } from '../../base/errors.js';
import { LastUsed } from '../../base/last-used.js';
import type { Folder } from '../../io/folder.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';

/** The TIFFs of a set, each parsed once while it is used. */
export class MemberTiffs {
  private readonly folder: Folder;
  private readonly tiffs = new LastUsed<TiffFile>();

  constructor(folder: Folder) {
    this.folder = folder;
  }

  /** @throws AcqError `companion_missing`, `decode_failed`, `unsupported_format` */
  open(name: string): TiffFile {
    return this.tiffs.get(name, () => {
      const source = this.folder.open(name);
      if (!source) throw companionMissing(`"${name}", a file of this set,`, this.folder.path);
      return openTiff(source);
    });
  }
}
