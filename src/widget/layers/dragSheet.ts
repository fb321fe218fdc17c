/** Part of its height by which a sheet is pulled down to end it. */
const FAR = 0.25;
/** Pixels per millisecond of a flick that ends it from any height. */
const FAST = 0.4;
/** Pixels that a finger moves on a tap. */
const TAP_PX = 6;

/** What a drag of the handle can come to. */
export interface DragOptions {
  handle: HTMLElement;
  sheet: HTMLElement;
  tapped(): void;
  pulledUp(): void;
  /** Tells whether that ended the sheet. */
  pulledDown(): boolean;
}

/** Lets the handle drag the sheet; a press without a drag (a finger's, a mouse's, a key's) is a tap. */
export function dragSheet({ handle, sheet, tapped, pulledUp, pulledDown }: DragOptions): void {
  let from: { y: number; at: number } | undefined;
  let moved = 0;

  handle.addEventListener('pointerdown', (event) => {
    from = { y: event.clientY, at: event.timeStamp };
    moved = 0;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener('pointermove', (event) => {
    if (!from) return;
    moved = event.clientY - from.y;
    sheet.style.transition = 'none';
    sheet.style.translate = moved > 0 ? `0 ${moved}px` : '';
  });
  handle.addEventListener('pointerup', (event) => {
    if (!from) return;
    const speed = moved / Math.max(1, event.timeStamp - from.at);
    // It goes on from where it was let go.
    if (moved > TAP_PX && (moved > sheet.offsetHeight * FAR || speed > FAST) && pulledDown()) return;
    settle();
    if (moved < -TAP_PX) pulledUp();
  });
  handle.addEventListener('pointercancel', settle);
  handle.addEventListener('click', () => {
    if (Math.abs(moved) <= TAP_PX) tapped();
    moved = 0;
  });

  function settle(): void {
    from = undefined;
    sheet.style.transition = '';
    sheet.style.translate = '';
  }
}
