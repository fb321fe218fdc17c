import type { JSX } from 'preact';
import type { PanelProps } from '../model.ts';
import { EventsPanel } from '../panels/EventsPanel.tsx';
import { ForcePanel } from '../panels/ForcePanel.tsx';
import { OutcomePanel } from '../panels/OutcomePanel.tsx';
import { QueuePanel } from '../panels/QueuePanel.tsx';
import { Frames, SeenPanel } from '../panels/SeenPanel.tsx';
import { WirePanel } from '../panels/WirePanel.tsx';
import { DOCKS, type Tab, TABS } from '../preferences.ts';
import type { PageCheck } from '../checkPage.ts';

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
  const { dock, forced, isOpen, tab } = model.preferences;
  const code = model.explanation?.outcome?.code ?? 'waiting';
  const Panel = PANELS[tab];
  return (
    <aside
      class={`all ${dock}`}
      lang="en"
      dir="ltr"
      aria-label="offerlet inspector"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        // Otherwise the widget's dialog would close too.
        event.preventDefault();
        event.stopPropagation();
        actions.open(false);
      }}
    >
      {!isOpen && (
        <button type="button" class="opener" onClick={() => actions.open(true)}>
          <Dot code={code} /> offerlet <span class="quiet">{code}</span>
          {Object.keys(forced).length > 0 && <span class="chip">forced</span>}
        </button>
      )}
      {isOpen && tab === 'Seen' && <Frames visibilities={model.visibilities} />}
      {isOpen && (
        <div class="shell">
          <Header model={model} actions={actions} code={code} />
          <ForcedBar model={model} actions={actions} />
          <Tabs selected={tab} onSelect={actions.showTab} />
          <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} tabIndex={0} data-scrolls>
            <Panel key={tab} model={model} actions={actions} />
          </div>
        </div>
      )}
    </aside>
  );
}

/** Everything that is forced now, each with a button that stops it. */
function ForcedBar({ model, actions }: PanelProps): JSX.Element | null {
  const forced = Object.entries(model.preferences.forced);
  if (forced.length + model.unknown.length === 0) return null;
  return (
    <div class="forced">
      {forced.length > 0 && <span>Forced</span>}
      {forced.map(([name, value]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Stop forcing ${name}`}
          onClick={() => actions.force(Object.fromEntries(forced.filter(([other]) => other !== name)))}
        >
          {`${name} ${value}`}
        </button>
      ))}
      {forced.length > 0 && (
        <button type="button" class="plain" onClick={() => actions.force({})}>
          Clear all
        </button>
      )}
      {model.unknown.map((text) => (
        <span key={text} class="bad">{`${text} is not a known setting`}</span>
      ))}
    </div>
  );
}

/** The outcome, the choice of mount, and the buttons that concern the whole inspector. */
function Header({ model, actions, code }: PanelProps & { code: string }): JSX.Element {
  const { preferences, mounts, mount, notice } = model;
  return (
    <>
      <header>
        <h1>
          <Dot code={code} /> offerlet <span class="quiet">{code}</span>
        </h1>
        {mounts.length > 1 && (
          <select
            aria-label="Mount"
            value={mount?.id}
            onChange={(event) => actions.selectMount(Number(event.currentTarget.value))}
          >
            {mounts.map(({ id, mode }) => (
              <option key={id} value={id}>
                {`Mount ${id}${mode && `, ${mode}`}`}
              </option>
            ))}
          </select>
        )}
        <button type="button" onClick={actions.copyReport}>
          Copy report
        </button>
        {DOCKS.filter((dock) => dock !== preferences.dock).map((dock) => (
          <Icon
            key={dock}
            name={`Dock ${dock}`}
            path={dock === 'right' ? 'M2.5 3.5h11v9h-11zM9.5 3.5v9' : 'M2.5 3.5h11v9h-11zM2.5 9.5h11'}
            onClick={() => actions.dock(dock)}
          />
        ))}
        <Icon name="Collapse" path="M4 8h8" onClick={() => actions.open(false)} />
      </header>
      <p class="notice quiet" role="status">
        {notice}
      </p>
    </>
  );
}

/** A button of one picture, with its name for everybody who cannot guess it. */
function Icon({ name, path, onClick }: { name: string; path: string; onClick(): void }): JSX.Element {
  return (
    <button type="button" class="icon" aria-label={name} title={name} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
}

/** The outcome as a colour. Its code is always next to it. */
function Dot({ code }: { code: string }): JSX.Element {
  const mood = code === 'rendered' ? 'good' : code === 'waiting' || code === 'no_offers' ? 'mild' : 'bad';
  return <i class={`dot ${mood}`} />;
}

/** The tabs of the panels, with the keyboard behaviour of the ARIA tabs pattern. */
function Tabs({ selected, onSelect }: { selected: Tab; onSelect(tab: Tab): void }): JSX.Element {
  function move(event: KeyboardEvent): void {
    const next = tabFor(event.key, selected);
    if (!next) return;
    event.preventDefault();
    onSelect(next);
    const list = event.currentTarget as Element;
    list.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={move}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === selected}
          aria-controls="panel"
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function tabFor(key: string, selected: Tab): Tab | undefined {
  const index = TABS.indexOf(selected);
  const places: Readonly<Record<string, number>> = {
    Home: 0,
    End: -1,
    ArrowRight: (index + 1) % TABS.length,
    ArrowLeft: index - 1,
  };
  const place = places[key];
  return place === undefined ? undefined : TABS.at(place);
}

const LABELS: Readonly<Record<PageCheck['state'], string>> = { good: 'good', bad: 'fix this', note: 'note' };

/** The findings about the page, and what to do about each. */
function PagePanel({ model, actions }: PanelProps): JSX.Element {
  const { checks } = model;
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={actions.checkPage}>
          Check again
        </button>
      </p>
      {!checks && <p class="quiet">Checking …</p>}
      <ul class="checks">
        {(checks ?? []).map(({ state, title, text }) => (
          <li key={title} class={state}>
            <b>{title}</b>
            <span class="state">{LABELS[state]}</span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
