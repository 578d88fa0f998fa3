/** A set of files that only their contents link. */
import { writeTiff } from '../writers/tiff.js';

/** Returns one of two files of an OME-TIFF, of which only the contents know that they belong together. */
export function omeMember(name: string, other: string): Uint8Array {
  const block = (file: string, t: number) =>
    `<TiffData IFD="0" FirstT="${t}" PlaneCount="1"><UUID FileName="${file}">urn:uuid:${t}</UUID></TiffData>`;
  const [first, second] = [name, other].sort() as [string, string];
  const xml = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:${name === first ? 0 : 1}"><Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="4" SizeY="3" SizeZ="1" SizeC="1" SizeT="2" PhysicalSizeX="0.5" PhysicalSizeY="0.5"><Channel ID="Channel:0" SamplesPerPixel="1"/>${block(first, 0)}${block(second, 1)}</Pixels></Image></OME>`;
  const description = { code: 270, type: 2, text: xml };
  return writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12), tags: [description] }] });
}
