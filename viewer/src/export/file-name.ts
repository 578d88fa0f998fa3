/**
 * Returns a file name that is valid everywhere: `scan.oir.ch0.png`, `scan.oir_ref.ch0.png`, `scan.oir.composite.png`.
 */
export function fileName(
  source: string,
  { kind, channel }: { kind: 'source' | 'reference'; channel: number | 'composite' | null },
  ending: string,
): string {
  const clean = [...source].map((letter) => (/[\\/:*?"<>|]/.test(letter) || letter < ' ' ? '_' : letter)).join('');
  const part = channel === null ? '' : channel === 'composite' ? '.composite' : `.ch${channel}`;
  return `${clean}${kind === 'reference' ? '_ref' : ''}${part}.${ending}`;
}
