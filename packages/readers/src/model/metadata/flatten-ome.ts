/** Lists OME-XML, which several formats contain. */
import type { XmlElement } from '../../io/xml.js';
import type { XmlListing } from './flatten-xml.js';

/** Returns how OME-XML is listed for one of `scenes` scenes: without the other images. */
export function listOme(scene: number, scenes: number): XmlListing {
  return {
    limits: { Plane: 1, TiffData: 1, Image: scenes },
    select: (root) => ({ ...root, children: selectImage(root.children, scene, scenes) }),
  };
}

/** Images that cannot be shown are no scenes: then nobody knows which image the scene is, and all are listed. */
function selectImage(children: readonly XmlElement[], scene: number, scenes: number): XmlElement[] {
  const images = children.filter(({ name }) => name === 'Image');
  if (images.length !== scenes) return [...children];
  return children.filter((child) => child.name !== 'Image' || child === images[scene]);
}
