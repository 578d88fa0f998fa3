/** The items of a menu, between which the arrow keys move. */

export function menuItems(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

/** Moves between the items, or closes the menu with Escape or Tab; returns false for other keys. */
export function moveInMenu({ key }: KeyboardEvent, root: HTMLElement | null, close: () => void): boolean {
  const all = menuItems(root);
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: all.length - 1 }[key];
  if (to !== undefined) all[(to + all.length) % all.length]?.focus();
  else if (key === 'Escape' || key === 'Tab') close();
  else return false;
  return true;
}
