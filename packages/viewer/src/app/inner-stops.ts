/**
 * Keeps a section one tab stop: its heading. The arrow down goes from the heading to the controls, which are tab stops as long as
 * one of them has the focus: sliders and fields need the arrow keys for themselves.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]';
/** Controls that do nothing else with the arrow keys. */
const PLAIN = 'a[href], button:not([aria-haspopup]), input[type="checkbox"], summary';

/** Attribute `tabindex` that controls had before Tab passed them by. */
const before = new WeakMap<HTMLElement, string | null>();

const controlsOf = (section: HTMLElement) => [...section.querySelectorAll<HTMLElement>(CONTROLS)];

function withhold(section: HTMLElement): void {
  for (const control of controlsOf(section)) {
    if (control.tabIndex < 0) continue;
    before.set(control, control.getAttribute('tabindex'));
    control.tabIndex = -1;
  }
}

function offer(section: HTMLElement): void {
  for (const control of controlsOf(section)) {
    const own = before.get(control);
    if (own === undefined) continue;
    before.delete(control);
    if (own === null) control.removeAttribute('tabindex');
    else control.setAttribute('tabindex', own);
  }
}

export function useInnerStops(body: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const section = body.current;
    if (section === null) return;
    const settle = (focus: EventTarget | null) => {
      if (focus instanceof Node && section.contains(focus)) offer(section);
      else withhold(section);
    };
    const entered = () => offer(section);
    const left = ({ relatedTarget }: FocusEvent) => {
      // The window lost the focus: it comes back to the same control.
      if (relatedTarget !== null || document.hasFocus()) settle(relatedTarget);
    };
    const changes = new MutationObserver(() => settle(document.activeElement));
    changes.observe(section, { childList: true, subtree: true });
    section.addEventListener('focusin', entered);
    section.addEventListener('focusout', left);
    settle(document.activeElement);
    return () => {
      changes.disconnect();
      section.removeEventListener('focusin', entered);
      section.removeEventListener('focusout', left);
    };
  }, [body]);
}

/** Moves the focus between the heading of a section and its controls with the arrows up and down. */
export function moveInSection(event: KeyboardEvent, heading: HTMLElement | null, body: HTMLElement | null): void {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined || defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
  if (heading === null || body === null || !(target instanceof Element)) return;
  if (target !== heading && !target.matches(PLAIN)) return;
  if (target === heading) offer(body);
  const stops = controlsOf(body).filter((one) => one.tabIndex >= 0 && one.getClientRects().length > 0);
  const all = [heading, ...stops.filter((one) => !(one as HTMLButtonElement).disabled)];
  const to = all[all.indexOf(target as HTMLElement) + step];
  if (target === heading && !to) withhold(body);
  if (to === undefined) return;
  to.focus();
  event.preventDefault();
}
