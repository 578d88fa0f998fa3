/** Values of elements of FluoView's XML. */
import { allElements, type XmlElement } from '../../io/xml.js';

/** Returns the first element of this name: the root or any descendant. */
export function first(root: XmlElement, name: string): XmlElement | undefined {
  for (const element of allElements(root)) if (element.name === name) return element;
  return undefined;
}

/** Returns the trimmed text of an element; '' without one. */
export function textOf(element: XmlElement | undefined): string {
  return element?.text.trim() ?? '';
}

/** Returns a finite number, else `undefined`. */
export function numberOf(element: XmlElement | undefined): number | undefined {
  const text = textOf(element);
  if (text === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
