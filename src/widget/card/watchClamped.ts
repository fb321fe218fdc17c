/** Pixels by which text may overflow its box without a line being hidden. */
const TOLERANCE_PX = 8;

/** Creates an observer that shows the button of an observed element while one of its texts is clamped. */
export function watchClamped(): ResizeObserver {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const button = target.lastElementChild as HTMLButtonElement;
      const isClamped = [...target.children].some((text) => text.scrollHeight > text.clientHeight + TOLERANCE_PX);
      if (button.hidden !== isClamped || button.getAttribute('aria-expanded') === 'true') continue;
      button.hidden = !isClamped;
      // The button changes the observed size: in this frame that would be reported to the page as an error.
      observer.unobserve(target);
      requestAnimationFrame(() => observer.observe(target));
    }
  });
  return observer;
}
