import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import { parseOme } from '../../../packages/readers/src/model/metadata/ome-document.js';
import { omeAxes } from '../../../packages/readers/src/model/metadata/ome-steps.js';
import { defaultStep } from '../../../packages/readers/src/model/metadata/steps.js';

const noResolution = () => ({ X: defaultStep(), Y: defaultStep() });

function stepsOf(annotation: string, reference = '<AnnotationRef ID="A:0"/>') {
  const ome = parseOme(
    `<OME><Image ID="Image:0"><Pixels DimensionOrder="XYCZT" SizeX="96" SizeY="4000" PhysicalSizeX="0.284"
      PhysicalSizeY="0.5"/>${reference}</Image><StructuredAnnotations>${annotation}</StructuredAnnotations></OME>`,
  );
  const [image] = ome.images;
  if (!image) throw new Error('no image');
  const notes = new Notes();
  return { ...omeAxes(image, { T: 1, Z: 1, Y: 4000, X: 96 }, noResolution, notes).steps, warnings: notes.list() };
}

const annotation = (entries: string, namespace = 'acquisition-store/line-scan') =>
  `<MapAnnotation ID="A:0" Namespace="${namespace}"><Value>${entries}</Value></MapAnnotation>`;

const PHYSICAL_SIZE = { step: 0.5, unit: 'micrometer', origin: 'file' };

describe('line period of an OME image', () => {
  it('makes Y seconds and keeps X', () => {
    const { X, Y, warnings } = stepsOf(annotation('<M K="LinePeriod">0.00117</M>'));
    expect(Y).toEqual({ step: 0.00117, unit: 'seconds', origin: 'file' });
    expect(X).toEqual({ step: 0.284, unit: 'micrometer', origin: 'file' });
    expect(warnings).toEqual([]);
  });

  it('is converted from its unit', () => {
    const { Y } = stepsOf(annotation('<M K="LinePeriodUnit">ms</M><M K="LinePeriod">2.5</M>'));
    expect(Y.unit).toBe('seconds');
    expect(Y.step).toBeCloseTo(0.0025, 12);
  });

  it('is used only if the image refers to it, and only in its namespace', () => {
    const entry = '<M K="LinePeriod">0.00117</M>';
    expect(stepsOf(annotation(entry), '').Y).toEqual(PHYSICAL_SIZE);
    expect(stepsOf(annotation(entry, 'somebody/else')).Y).toEqual(PHYSICAL_SIZE);
    expect(stepsOf(`<XMLAnnotation ID="A:0"><Value>${entry}</Value></XMLAnnotation>`).Y).toEqual(PHYSICAL_SIZE);
    expect(stepsOf(annotation('<M K="Operator">Ada</M>')).Y).toEqual(PHYSICAL_SIZE);
  });

  it.each([
    ['<M K="LinePeriod">-1</M>'],
    ['<M K="LinePeriod">soon</M>'],
    ['<M K="LinePeriod">2</M><M K="LinePeriodUnit">mm</M>'],
  ])('gives a warning when it is unusable: %s', (entries) => {
    const { Y, warnings } = stepsOf(annotation(entries));
    expect(Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('LinePeriod');
  });
});
