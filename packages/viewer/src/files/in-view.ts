/** Which elements of a list that scrolls are in view. */
export interface ViewWatch {
  /**
   * Calls `enter` when the element comes into view, and what it returns when the element leaves it. Returns a function that
   * ends this, as if the element left.
   */
  watch(element: Element, enter: () => () => void): () => void;
  stop(): void;
}

interface Watched {
  readonly enter: () => () => void;
  leave: (() => void) | null;
}

/** @param root returns the list that scrolls, which exists once an element is watched */
export function watchView(root: () => Element | null): ViewWatch {
  const watched = new Map<Element, Watched>();
  let observer: IntersectionObserver | null = null;
  const leave = (one: Watched) => {
    one.leave?.();
    one.leave = null;
  };
  const see = (changes: readonly IntersectionObserverEntry[]) => {
    for (const { target, isIntersecting } of changes) {
      const one = watched.get(target);
      if (one && isIntersecting) one.leave ??= one.enter();
      else if (one) leave(one);
    }
  };
  return {
    watch(element, enter) {
      const one: Watched = { enter, leave: null };
      watched.set(element, one);
      observer ??= new IntersectionObserver(see, { root: root() });
      observer.observe(element);
      return () => {
        observer?.unobserve(element);
        watched.delete(element);
        leave(one);
      };
    },
    stop() {
      observer?.disconnect();
      for (const one of watched.values()) leave(one);
      watched.clear();
    },
  };
}
