// Opens files in the viewer, as its benchmarks do.

/** Opens a file by its path. @returns when Enter was pressed, as `performance.now()` */
export async function enterPath(page, path) {
  await page.keyboard.press('Alt+KeyP');
  await page.getByLabel('Path of a file or folder').fill(path);
  const pressed = performance.now();
  await page.keyboard.press('Enter');
  return pressed;
}

/** Waits until every card shows samples at a share of its width. */
export function drawnAt(page, share) {
  return page.waitForFunction((at) => {
    /** @type {NodeListOf<HTMLCanvasElement>} */
    const found = document.querySelectorAll('canvas.image-canvas');
    const canvases = [...found];
    const isDrawn = (canvas) => {
      if (canvas.width < 200) return false;
      const x = Math.floor(at * canvas.width);
      return new Set(canvas.getContext('2d').getImageData(x, canvas.height >> 1, 8, 8).data).size > 4;
    };
    return canvases.length > 0 && canvases.every(isDrawn);
  }, share);
}
