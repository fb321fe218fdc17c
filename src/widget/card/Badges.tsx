import type { JSX } from 'preact';
import type { WidgetView } from '../widgetView.ts';

/** Props of the marks above an offer or a list. */
export interface BadgesProps {
  view: WidgetView;
  /** Whether the mark is part of the dialog's name. */
  isTitle: boolean;
}

/** The "Sponsored" mark, and the one of a sandbox. */
export function Badges({ view, isTitle }: BadgesProps): JSX.Element {
  const { messages, sandbox } = view.props;
  return (
    <div class="badges">
      <span class="badge" id={isTitle ? 'badge' : undefined}>
        {messages.sponsored}
      </span>
      {sandbox && <span class="badge sandbox">{messages.sandbox}</span>}
    </div>
  );
}
