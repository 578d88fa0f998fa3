/** Files of other kinds that end up where an acquisition is expected: named in messages, never read. */

interface ForeignKind {
  /** After “is”. */
  what: string;
  advice: string;
  /** Where the extension alone says what it is. */
  extensions?: readonly string[];
  /** @param head the first bytes of the file */
  matches: (head: Uint8Array) => boolean;
}

const IMAGE_ADVICE = 'Open the file that the microscope wrote, or save the image as TIFF.';

const startsWith =
  (bytes: readonly number[], at = 0) =>
  (head: Uint8Array): boolean =>
    bytes.every((byte, i) => head[at + i] === byte);

const startsWithText = (text: string, at = 0) =>
  startsWith(
    [...text].map((character) => character.charCodeAt(0)),
    at,
  );

const FOREIGN: readonly ForeignKind[] = [
  {
    what: 'a PNG image',
    advice: IMAGE_ADVICE,
    extensions: ['.png'],
    matches: startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  {
    what: 'a JPEG image',
    advice: IMAGE_ADVICE,
    extensions: ['.jpg', '.jpeg'],
    matches: startsWith([0xff, 0xd8, 0xff]),
  },
  {
    what: 'compressed with gzip',
    advice: 'Unpack it, for example with `gunzip`, and open what it contains.',
    extensions: ['.gz', '.tgz'],
    matches: startsWith([0x1f, 0x8b, 0x08]),
  },
  {
    what: 'a PDF document',
    advice: 'Open the file that the microscope wrote.',
    extensions: ['.pdf'],
    matches: startsWithText('%PDF-'),
  },
  {
    what: 'a video (MP4 or QuickTime)',
    advice: 'Open the file that the microscope wrote, or save the frames as TIFF.',
    extensions: ['.mp4', '.mov', '.m4v'],
    matches: startsWithText('ftyp', 4),
  },
  {
    what: 'a web page',
    advice:
      'It may be the sign-in page of a file share, saved instead of the file. Sign in, and download the file again.',
    extensions: ['.html', '.htm'],
    matches: isHtml,
  },
  {
    what: 'a Git LFS pointer',
    advice: 'It only says which file belongs here. Run `git lfs pull` in the repository to download that.',
    matches: startsWithText('version https://git-lfs.github.com/spec/'),
  },
  {
    what: 'an AppleDouble file, in which macOS keeps what belongs to another file',
    advice: 'Open the file of the same name without `._` at its start.',
    matches: startsWith([0x00, 0x05, 0x16, 0x07]),
  },
  {
    what: 'a Windows shortcut',
    advice: 'Open the file that it leads to.',
    extensions: ['.lnk'],
    matches: startsWith([0x4c, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00]),
  },
  {
    what: 'an alias of macOS',
    advice: 'Open the file that it leads to.',
    matches: startsWith([...'book\0\0\0\0mark'].map((character) => character.charCodeAt(0))),
  },
];

/** Returns what a file of another kind is and what to do, after its name: `is a PNG image. Open …`. */
export function describeForeignContent(head: Uint8Array): string | undefined {
  const kind = FOREIGN.find(({ matches }) => matches(head));
  return kind && `is ${kind.what}. ${kind.advice}`;
}

/** Does the same by the extension of the name alone. @param extension in lower case, with its dot */
export function describeForeignName(extension: string): string | undefined {
  const kind = FOREIGN.find(({ extensions }) => extensions?.includes(extension));
  return kind && `seems to be ${kind.what}, by its name. ${kind.advice}`;
}

/** Enough for the declaration of a page, behind blanks and comments. */
const HTML_BYTES = 512;

function isHtml(head: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(head.subarray(0, HTML_BYTES)).replace(/^\u{ef}\u{bb}\u{bf}/u, '');
  return /^\s*</.test(text) && /<(!doctype\s+html|html)[\s>]/i.test(text);
}
