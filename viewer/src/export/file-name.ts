/** `scan.oir.ch0.png`, `scan.oir_ref.ch0.png`, `scan.oir.composite.png`; nothing that a file system refuses. */
export function fileName(
  source: string,
  { kind, channel }: { kind: 'source' | 'reference'; channel: number | 'composite' | null },
  ending: string,
): string {
  const clean = [...source].map((one) => (/[\\/:*?"<>|]/.test(one) || one < ' ' ? '_' : one)).join('');
  const part = channel === null ? '' : channel === 'composite' ? '.composite' : `.ch${channel}`;
  return `${clean}${kind === 'reference' ? '_ref' : ''}${part}.${ending}`;
}
