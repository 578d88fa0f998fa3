declare module 'lucide/dist/esm/icons/*.mjs' {
  /** Elements of an icon on a grid of 24 × 24, with their attributes. */
  const elements: readonly (readonly [tag: 'path' | 'circle' | 'rect' | 'line' | 'ellipse' | 'polyline' | 'polygon', attributes: Readonly<Record<string, string>>])[];
  export default elements;
}
