/** ROI files of this computer. */

/** True for names that only ROIs have. */
export function isRoiName(name: string): boolean {
  return /\.roi$/i.test(name);
}

/** Lets the user choose ROI files. */
export function pickRois(use: (files: readonly File[]) => Promise<void>): void {
  const input = window.document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = '.roi,.zip';
  input.addEventListener('change', () => void use([...(input.files ?? [])]));
  input.click();
}
