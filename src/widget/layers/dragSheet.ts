/** The fraction of its height by which a sheet must be dragged down to close. */
const CLOSE_FRACTION = 0.25;
/** Pixels per millisecond of a flick that closes it over any distance. */
const FLICK_SPEED = 0.4;
/** Pixels that a finger may move during a tap. */
const TAP_PX = 6;

/** The two elements, and what to call when a gesture ends. */
export interface DragOptions {
  handle: HTMLElement;
  sheet: HTMLElement;
  tapped(): void;
  pulledUp(): void;
  /** Returns whether the sheet is being closed. */
  pulledDown(): boolean;
}

/** Lets the handle drag the sheet. A press without a drag, by finger, mouse or key, is a tap. */
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
    // The exit animation continues from where the sheet was released.
    if (moved > TAP_PX && (moved > sheet.offsetHeight * CLOSE_FRACTION || speed > FLICK_SPEED) && pulledDown()) return;
    release();
    if (moved < -TAP_PX) pulledUp();
  });
  handle.addEventListener('pointercancel', release);
  handle.addEventListener('click', () => {
    if (Math.abs(moved) <= TAP_PX) tapped();
    moved = 0;
  });

  function release(): void {
    from = undefined;
    sheet.style.transition = '';
    sheet.style.translate = '';
  }
}
