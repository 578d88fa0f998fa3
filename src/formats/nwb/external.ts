/** Frames that lie in TIFF files beside the NWB file. */
import { decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import type { PlaneTarget } from '../../plane-target.js';
import { openTiff } from '../../tiff/parse.js';
import { readPageSample } from '../../tiff/read-page.js';
import type { PageLayout, TiffFile } from '../../tiff/types.js';

/** Tag of a page's text. */
const IMAGE_DESCRIPTION = 270;

/** Opens a file inside the folder of the NWB file. @throws AcqError `path_not_allowed` for a name that leads out */
export type OpenBeside = (name: string) => ByteSource | undefined;

/** The files of one series, their pages one after the other. */
export class ExternalFrames {
  readonly layout: PageLayout;
  readonly frames: number;
  private readonly files: { name: string; file: TiffFile; first: number }[] = [];

  /** @throws AcqError `decode_failed` for a file that is not there, `unsupported_format` for one that is no TIFF */
  constructor(names: readonly string[], open: OpenBeside) {
    if (names.length > LIMITS.files) throw decodeFailed(`its frames are in ${names.length} files`);
    let frames = 0;
    for (const name of names) {
      const file = openFrames(name, open);
      this.files.push({ name, file, first: frames });
      frames += file.pageCount;
    }
    const first = this.files[0]?.file;
    if (!first) throw decodeFailed('it names no file with its frames');
    this.layout = first.page(0).layout;
    this.frames = frames;
    checkStack(first, (names[0] as string) ?? '');
  }

  async read(frame: number, sample: number, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    const at = this.files.findLast(({ first }) => first <= frame);
    if (!at) throw decodeFailed(`frame ${frame} is in no file`);
    const page = at.file.page(frame - at.first);
    const { width, height, sampleType, samplesPerPixel } = page.layout;
    const own = this.layout;
    if (sampleType !== own.sampleType || samplesPerPixel !== own.samplesPerPixel || width !== own.width) {
      throw decodeFailed(
        `${at.name}: page ${frame - at.first} is ${height} × ${width} ${sampleType}, the first frame is ` +
          `${own.height} × ${own.width} ${own.sampleType}`,
      );
    }
    await readPageSample(at.file, page, sample, target, signal);
  }
}

function openFrames(name: string, open: OpenBeside): TiffFile {
  const shown = name.slice(0, 200);
  const source = /^[a-z]+:\/\//i.test(name) ? undefined : open(name.replace(/^(\.[\\/])+/, '').replaceAll('\\', '/'));
  if (!source) throw decodeFailed(`its pixels are in "${shown}", which is not beside the file; copy it there`);
  const head = source.read(0, Math.min(4, source.size));
  if (!/^(II[*+]\0|MM\0[*+])$/.test(Buffer.from(head).toString('latin1'))) {
    throw unsupported(`its pixels are in "${shown}", which is no TIFF; open that file, or write the frames as TIFF`);
  }
  return openTiff(source);
}

/** ImageJ's large stacks have one page for all frames; that flavour is read when the TIFF itself is opened. */
function checkStack(file: TiffFile, name: string): void {
  const images = /^images=(\d+)/m.exec(file.page(0).text(IMAGE_DESCRIPTION) ?? '')?.[1];
  if (images !== undefined && file.pageCount === 1 && Number(images) > 1) {
    throw unsupported(
      `its pixels are in ${name.slice(0, 200)}, an ImageJ stack of ${images} frames in one page; open that file`,
    );
  }
}
