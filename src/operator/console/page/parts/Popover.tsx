import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

interface PopoverProps {
  readonly label: ComponentChildren;
  /** The name of the button and of what it opens, where its label does not say it. */
  readonly name?: string;
  readonly icon?: IconName | undefined;
  /** Whether an arrow after the label says that there is a choice. */
  readonly hasArrow?: boolean;
  readonly class?: string;
  /** Of the button. */
  readonly tabIndex?: number;
  /** What it contains; `close` closes it and returns the focus. */
  children(close: () => void): ComponentChildren;
}

/** Pixels between button and panel, and between panel and window. */
const GAP = 6;
const EDGE = 12;

/**
 * A button that opens a panel beside it. The browser's own popover: it is above everything, Esc and a click elsewhere close
 * it, and the focus returns. On a phone the style sheet puts it at the bottom of the window.
 */
export function Popover(props: PopoverProps): JSX.Element {
  const { label, name, icon, hasArrow = false, class: className = '', tabIndex = 0, children } = props;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // A table has one in each row: what they contain is made when they open.
  const [isOpen, setOpen] = useState(false);
  const close = (): void => panel.current?.hidePopover();

  function place(): void {
    if (!panel.current || !button.current) return;
    const at = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = panel.current;
    const below = innerHeight - at.bottom - GAP - EDGE;
    const isAbove = height > below && at.top > below;
    const { style } = panel.current;
    style.setProperty(
      'left',
      `${Math.max(EDGE, Math.min(at.left, document.documentElement.clientWidth - width - EDGE))}px`,
    );
    style.setProperty('top', isAbove ? `${Math.max(EDGE, at.top - GAP - height)}px` : `${at.bottom + GAP}px`);
    style.setProperty('max-height', `${(isAbove ? at.top : innerHeight - at.bottom) - GAP - EDGE}px`);
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button ${className}`}
        popovertarget={id}
        tabIndex={tabIndex}
        aria-label={name}
        aria-haspopup="dialog"
      >
        {icon && <Icon name={icon} />}
        {label}
        {hasArrow && <Icon name="chevron" />}
      </button>
      <div
        ref={panel}
        id={id}
        class="popover"
        popover="auto"
        role="dialog"
        aria-label={name ?? (typeof label === 'string' ? label : undefined)}
        onBeforeToggle={(event) => {
          if (event.newState === 'open') setOpen(true);
        }}
        onToggle={(event) => {
          // Not before: the browser returns the focus only while it is still inside.
          if (event.newState !== 'open') return setOpen(false);
          place();
          // This event comes a task after the panel is open. Focus that has moved into it since then stays there.
          if (panel.current?.contains(document.activeElement)) return;
          panel.current?.querySelector<HTMLElement>('[autofocus], input, button, a')?.focus();
        }}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}
