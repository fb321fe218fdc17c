import type { JSX } from 'preact';
import { DOCKS, TABS, type Tab } from './kept.ts';
import type { Actions, PanelProps } from './model.ts';
import { EventsPanel } from './panels/EventsPanel.tsx';
import { ForcePanel } from './panels/ForcePanel.tsx';
import { OutcomePanel } from './panels/OutcomePanel.tsx';
import { PagePanel } from './panels/PagePanel.tsx';
import { QueuePanel } from './panels/QueuePanel.tsx';
import { Frames, SeenPanel } from './panels/SeenPanel.tsx';
import { WirePanel } from './panels/WirePanel.tsx';

const PANELS: Readonly<Record<Tab, (props: PanelProps) => JSX.Element>> = {
  Outcome: OutcomePanel,
  Wire: WirePanel,
  Seen: SeenPanel,
  Events: EventsPanel,
  Queue: QueuePanel,
  Force: ForcePanel,
  Page: PagePanel,
};

/** The whole inspector: a button when it is collapsed, else header, tabs and a panel. */
export function Shell({ model, actions }: PanelProps): JSX.Element {
  const { kept, story } = model;
  const code = story?.outcome?.code ?? 'waiting';
  if (!kept.isOpen) {
    return (
      <aside class={`all ${kept.dock}`} lang="en" dir="ltr" aria-label="offerlet inspector">
        <button type="button" class="opener" onClick={() => actions.open(true)}>
          <Dot code={code} /> offerlet <span class="quiet">{code}</span>
          {Object.keys(kept.forced).length > 0 && <span class="chip">forced</span>}
        </button>
      </aside>
    );
  }
  const Panel = PANELS[kept.tab];
  return (
    <aside
      class={`all ${kept.dock}`}
      lang="en"
      dir="ltr"
      aria-label="offerlet inspector"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Else the dialog beneath would close as well.
        event.preventDefault();
        event.stopPropagation();
        actions.open(false);
      }}
    >
      {kept.tab === 'Seen' && <Frames sights={model.sights} />}
      <div class="shell">
        <Header model={model} actions={actions} code={code} />
        <ForcedBar model={model} actions={actions} />
        <Tabs tab={kept.tab} actions={actions} />
        <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${kept.tab}`} tabIndex={0} data-scrolls>
          <Panel key={kept.tab} model={model} actions={actions} />
        </div>
      </div>
    </aside>
  );
}

function Header({ model, actions, code }: PanelProps & { code: string }): JSX.Element {
  const { kept, subjects, subject, said } = model;
  return (
    <header>
      <h1>
        <Dot code={code} /> offerlet <b>{code}</b>
      </h1>
      {subjects.length > 1 && (
        <select
          aria-label="Mount"
          value={subject?.id}
          onChange={(event) => actions.choose(Number(event.currentTarget.value))}
        >
          {subjects.map(({ id, mode }) => (
            <option key={id} value={id}>
              {`Mount ${id}${mode && `, ${mode}`}`}
            </option>
          ))}
        </select>
      )}
      <span class="said quiet" role="status">
        {said}
      </span>
      <button type="button" onClick={actions.copyReport}>
        Copy report
      </button>
      <span class="docks" role="group" aria-label="Dock">
        {DOCKS.map((dock) => (
          <button
            key={dock}
            type="button"
            class={`icon dock-${dock}`}
            aria-label={`Dock ${dock}`}
            title={`Dock ${dock}`}
            aria-pressed={kept.dock === dock}
            onClick={() => actions.dock(dock)}
          />
        ))}
      </span>
      <button
        type="button"
        class="icon close"
        aria-label="Collapse"
        title="Collapse (Esc)"
        onClick={() => actions.open(false)}
      />
    </header>
  );
}

function ForcedBar({ model, actions }: PanelProps): JSX.Element | null {
  const { forced } = model.kept;
  const words = Object.entries(forced);
  if (words.length + model.unknown.length === 0) return null;
  return (
    <div class="forced">
      <span>Forced</span>
      {words.map(([name, word]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Stop forcing ${name}`}
          onClick={() => actions.force(Object.fromEntries(words.filter(([other]) => other !== name)))}
        >
          {`${name} ${word}`}
        </button>
      ))}
      {words.length > 0 && (
        <button type="button" class="plain" onClick={() => actions.force({})}>
          Clear all
        </button>
      )}
      {model.unknown.map((text) => (
        <span key={text} class="bad">{`${text} is not understood`}</span>
      ))}
    </div>
  );
}

function Tabs({ tab, actions }: { tab: Tab; actions: Actions }): JSX.Element {
  function move(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
    const now = TABS.indexOf(tab);
    const step = steps[event.key];
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? TABS.length - 1
          : step && (now + step + TABS.length) % TABS.length;
    const name = next === undefined ? undefined : TABS[next];
    if (!name) return;
    event.preventDefault();
    actions.show(name);
    const list = event.currentTarget as Element;
    list.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={move}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === tab}
          aria-controls="panel"
          tabIndex={name === tab ? 0 : -1}
          onClick={() => actions.show(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** The outcome as a colour; its word always stands beside it. */
function Dot({ code }: { code: string }): JSX.Element {
  const mood = code === 'rendered' ? 'good' : code === 'waiting' || code === 'no_offers' ? 'mild' : 'bad';
  return <i class={`dot ${mood}`} />;
}
