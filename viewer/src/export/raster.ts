/** Converts a canvas to PNG. @param advice what to do when the browser cannot */
export function canvasPng(canvas: HTMLCanvasElement, advice = 'Save at a smaller size.'): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error(`This browser could not make a PNG of that size. ${advice}`));
    }, 'image/png');
  });
}
