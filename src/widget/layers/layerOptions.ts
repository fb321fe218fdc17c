import type { WidgetView } from '../widgetView.ts';

/** The element of a layer and how it is dismissed. */
export interface LayerOptions {
  element: HTMLElement;
  ignoresInput(): boolean;
  dismiss: WidgetView['dismiss'];
}
