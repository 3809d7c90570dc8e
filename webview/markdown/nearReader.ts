/** Tells whether elements are within sight of the reader. An element that left the page is forgotten. */

const listeners = new WeakMap<Element, (near: boolean) => void>();

let observer: IntersectionObserver | undefined;

/** Calls `tell` soon, and whenever it changes. */
export function followNear(element: Element, tell: (near: boolean) => void): void {
  listeners.set(element, tell);
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    // Early, so that an element is ready when it is scrolled into sight.
    { scrollMargin: '120px' },
  );
  // Observed once more, it tells where it is now.
  observer.unobserve(element);
  observer.observe(element);
}
