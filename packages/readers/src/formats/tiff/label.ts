/**
 * Returns the format label of a TIFF by its name: the canonical extension without the dot. `.ome.tf2`, `.ome.tf8` and
 * `.ome.btf` are the BigTIFF names of `.ome.tif`.
 */
export function tiffLabel(name: string): 'tif' | 'ome.tif' | 'stk' {
  const lower = name.toLowerCase();
  if (/\.ome\.(tiff?|tf2|tf8|btf)$|\.ome$/.test(lower)) return 'ome.tif';
  return lower.endsWith('.stk') ? 'stk' : 'tif';
}
