import { beforeEach, describe, expect, it } from 'vitest';
import {
  cardView,
  frameOf,
  goHome,
  imageAreaOf,
  paneState,
  redoChange,
  setLinked,
  setOrientation,
  setView,
  undoChange,
} from '../../../packages/viewer/src/image/pane-state.ts';
import type { Pane } from '../../../packages/viewer/src/model/document.ts';
import { testPane } from './test-pane.ts';

const AREA = { left: 52, top: 30, width: 600, height: 200 };
const HOME = { x: 0, y: 0, width: 4000, height: 40 };
const part = (x: number) => ({ x, y: 0, width: 100, height: 40 });
const wheel = (at: number) => ({ kind: 'wheel', at });

describe('views of a line scan with two channels', () => {
  let pane: Pane;
  beforeEach(() => {
    pane = testPane({ shape: [4000, 40], y: [0.001, 'seconds'], x: [0.5, 'micrometer'], channels: 2 });
    paneState(pane).areas.value = new Map([
      ['0', AREA],
      ['1', { ...AREA, top: 260 }],
    ]);
  });

  it('start at home and report the area of the first card', () => {
    expect(cardView(pane, '1')).toEqual(HOME);
    expect(imageAreaOf(pane).value).toEqual({ ...AREA, view: HOME });
    expect(cardView(pane, '7')).toBeNull();
  });

  it('move together when linked, otherwise separately', () => {
    setView(pane, '0', part(10), wheel(0));
    expect(cardView(pane, '1')).toEqual(part(10));
    setLinked(pane, false);
    setView(pane, '1', part(50), wheel(5000));
    expect(cardView(pane, '0')).toEqual(part(10));
    expect(cardView(pane, '1')).toEqual(part(50));
    paneState(pane).activeCard.value = '1';
    setLinked(pane, true);
    expect(cardView(pane, '0')).toEqual(part(50));
  });

  it('undo quick turns of the wheel as one step, later ones separately', () => {
    setView(pane, '0', part(10), wheel(1000));
    setView(pane, '0', part(20), wheel(1300));
    setView(pane, '0', part(30), wheel(1900));
    setView(pane, '0', part(40), wheel(4000));
    undoChange(pane);
    expect(cardView(pane, '0')).toEqual(part(30));
    undoChange(pane);
    expect(cardView(pane, '0')).toEqual(HOME);
    undoChange(pane);
    redoChange(pane);
    redoChange(pane);
    expect(cardView(pane, '0')).toEqual(part(40));
    // A turn right after an undo is a new step.
    undoChange(pane);
    setView(pane, '0', part(60), wheel(4001));
    undoChange(pane);
    expect(cardView(pane, '0')).toEqual(part(30));
  });

  it('record no step without a change', () => {
    setView(pane, '0', HOME, wheel(0));
    goHome(pane, '0');
    expect(paneState(pane).history.value.past).toEqual([]);
    expect(pane.views.value.size).toBe(0);
  });

  it('show the same part after a turn, also after undo', () => {
    setView(pane, '0', part(1000), wheel(0));
    goHome(pane, '0');
    setOrientation(pane, { transposed: false, upward: false });
    undoChange(pane);
    // Lines 1000–1100 downwards, all 40 pixels to the right.
    expect(cardView(pane, '0')).toEqual({ x: 0, y: 1000, width: 40, height: 100 });
  });

  it('have no true shape for time and space', () => {
    pane.physicalAspect.value = true;
    expect(frameOf(pane, AREA).fit).toBe('fill');
  });
});

it.each([
  ['square samples until asked', false, false, 1],
  // 0.5 µm high, 0.25 µm wide.
  ['the shape of the specimen', true, false, 2],
  ['the shape of the specimen, turned', true, true, 0.5],
])('an image has %s', (_name, physical, transposed, fit) => {
  const pane = testPane({ shape: [64, 64], y: [0.5, 'micrometer'], x: [0.25, 'micrometer'] });
  pane.physicalAspect.value = physical;
  pane.orientation.value = { transposed, upward: false };
  expect(frameOf(pane, AREA).fit).toBe(fit);
});
