/** Moves a tab to another place with the pointer. */
import type { Tab } from './tab.ts';
import type { Workspace } from './workspace.ts';

/** Pixels that a click may move. */
const SLACK = 6;

/** Follows the pointer from its press on a tab. A finger scrolls the tabs instead. */
export function dragTab(press: PointerEvent, tab: Tab, { tabs, move }: Pick<Workspace, 'tabs' | 'move'>): void {
  if (press.button !== 0 || press.pointerType === 'touch') return;
  const button = press.currentTarget as HTMLElement;
  const strip = button.closest<HTMLElement>('[role="tablist"]');
  const home = tabs.value.indexOf(tab);
  const ending = new AbortController();
  const { signal } = ending;
  let isDrag = false;
  const follow = ({ clientX }: PointerEvent) => {
    isDrag ||= Math.abs(clientX - press.clientX) > SLACK;
    if (!strip || !isDrag) return;
    button.setPointerCapture(press.pointerId);
    move(tab, placeAt(strip, tabs.value.indexOf(tab), clientX));
  };
  const cancel = () => {
    move(tab, home);
    ending.abort();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isDrag) return;
    event.preventDefault();
    cancel();
  };
  button.addEventListener('pointermove', follow, { signal });
  button.addEventListener('pointerup', () => ending.abort(), { signal });
  button.addEventListener('pointercancel', cancel, { signal });
  addEventListener('keydown', onKey, { signal, capture: true });
}

/** Returns the position whose tab has its middle beyond the pointer, so that a tab changes places with its neighbor once. */
function placeAt(strip: HTMLElement, from: number, x: number): number {
  const middles = [...strip.children].map((child) => {
    const { left, width } = child.getBoundingClientRect();
    return left + width / 2;
  });
  const before = middles.filter((middle, at) => at < from && x < middle).length;
  const after = middles.filter((middle, at) => at > from && x > middle).length;
  return from - before + after;
}
