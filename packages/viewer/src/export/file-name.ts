/**
 * Returns a file name that is valid everywhere: `scan.oir.ch1.png`, `scan.oir_ref.ch1.png`, `scan.oir.composite.png`.
 * Channels count from 1, as time points and sections do.
 */
export function fileName(
  source: string,
  { kind, channel }: { kind: 'source' | 'reference'; channel: number | 'composite' | null },
  ending: string,
): string {
  const part = channel === null ? '' : channel === 'composite' ? '.composite' : `.ch${channel + 1}`;
  return `${cleanName(source)}${kind === 'reference' ? '_ref' : ''}${part}.${ending}`;
}

/** Returns a text without letters that a file name must not have. */
export function cleanName(text: string): string {
  return [...text].map((letter) => (/[\\/:*?"<>|]/.test(letter) || letter < ' ' ? '_' : letter)).join('');
}
