/** Readable extensions by the maker of the microscope or program. */

interface FormatGroup {
  readonly maker: string;
  readonly extensions: readonly string[];
}

const MAKERS: readonly (readonly [maker: string, pattern: RegExp])[] = [
  ['Olympus / Evident', /^\.(oir|poir|mpoir|oib|oif)$/],
  ['Zeiss', /^\.(czi|lsm)$/],
  ['Nikon', /^\.nd2$/],
  ['Leica', /^\.(lif|lof|xlef|xlif|xlcf)$/],
  ['Bruker Prairie View', /^\.xml$/],
  ['ScanImage', /^\.(pmt\.dat|meta\.txt)$/],
  ['Imaris', /^\.ims$/],
  ['TIFF and OME-TIFF', /^\.((ome\.)?(tiff?|tf[28]|btf)|stk|(companion\.)?ome)$/],
  ['OME-Zarr', /^\.(ozx|zip|.*zarr(\.zip)?)$/],
  ['MRC and CCP4', /^\.(mrc|map|rec)$/],
  ['NWB and HDF5', /^\.(nwb|h5|hdf5)$/],
];

/** Groups extensions by maker, in a fixed order; those of no known maker come last. */
export function groupFormats(extensions: readonly string[]): readonly FormatGroup[] {
  const left = new Set(extensions);
  const groups = MAKERS.map(([maker, pattern]) => {
    const matching = extensions.filter((extension) => pattern.test(extension));
    for (const extension of matching) left.delete(extension);
    return { maker, extensions: matching };
  });
  return [...groups, { maker: 'Other', extensions: [...left] }].filter((group) => group.extensions.length > 0);
}
