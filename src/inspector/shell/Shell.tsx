import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import { EventsPanel } from '../panels/EventsPanel.tsx';
import { ForcePanel } from '../panels/ForcePanel.tsx';
import { OutcomePanel } from '../panels/OutcomePanel.tsx';
import { PagePanel } from '../panels/PagePanel.tsx';
import { QueuePanel } from '../panels/QueuePanel.tsx';
import { Frames, SeenPanel } from '../panels/SeenPanel.tsx';
import { WirePanel } from '../panels/WirePanel.tsx';
import { Dot, Header } from './Header.tsx';
import { ForcedBar } from './ForcedBar.tsx';
import type { Tab } from './preferences.ts';
import { Tabs } from './Tabs.tsx';

const PANELS: Readonly<Record<Tab, (props: PanelProps) => JSX.Element>> = {
  Outcome: OutcomePanel,
  Wire: WirePanel,
  Seen: SeenPanel,
  Events: EventsPanel,
  Queue: QueuePanel,
  Force: ForcePanel,
  Page: PagePanel,
};

/** The whole inspector: a button while collapsed, otherwise header, tabs and one panel. */
export function Shell({ model, actions }: PanelProps): JSX.Element {
  const { preferences, explanation } = model;
  const code = explanation?.outcome?.code ?? 'waiting';
  if (!preferences.isOpen) {
    return (
      <aside class={`all ${preferences.dock}`} lang="en" dir="ltr" aria-label="offerlet inspector">
        <button type="button" class="opener" onClick={() => actions.open(true)}>
          <Dot code={code} /> offerlet <span class="quiet">{code}</span>
          {Object.keys(preferences.forced).length > 0 && <span class="chip">forced</span>}
        </button>
      </aside>
    );
  }
  const Panel = PANELS[preferences.tab];
  return (
    <aside
      class={`all ${preferences.dock}`}
      lang="en"
      dir="ltr"
      aria-label="offerlet inspector"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Otherwise the widget's dialog would close too.
        event.preventDefault();
        event.stopPropagation();
        actions.open(false);
      }}
    >
      {preferences.tab === 'Seen' && <Frames visibilities={model.visibilities} />}
      <div class="shell">
        <Header model={model} actions={actions} code={code} />
        <ForcedBar model={model} actions={actions} />
        <Tabs selected={preferences.tab} onSelect={actions.showTab} />
        <div
          class="panel"
          role="tabpanel"
          id="panel"
          aria-labelledby={`tab-${preferences.tab}`}
          tabIndex={0}
          data-scrolls
        >
          <Panel key={preferences.tab} model={model} actions={actions} />
        </div>
      </div>
    </aside>
  );
}
