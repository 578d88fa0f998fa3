// File types that the application opens, as macOS and Windows list them.

/** Extensions by the name of their kind. */
export const DOCUMENTS = {
  'Zeiss acquisition': ['czi', 'lsm'],
  'Nikon acquisition': ['nd2'],
  'Leica acquisition': ['lif', 'lof'],
  'Olympus acquisition': ['oir', 'oib'],
  'Imaris acquisition': ['ims'],
  'NWB recording': ['nwb'],
  'TIFF picture': ['tif', 'tiff', 'btf'],
};

/** What Windows registers for each kind. @returns {{ id: string, name: string, extensions: string[] }[]} */
export function windowsTypes() {
  return Object.entries(DOCUMENTS).map(([name, extensions]) => ({
    id: `AcquisitionStore.${name.split(' ')[0]}`,
    name,
    extensions,
  }));
}
