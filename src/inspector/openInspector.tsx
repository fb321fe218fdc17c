import { render } from 'preact';
import { checkPage, type Check } from './checkPage.ts';
import { copyText } from './copyText.ts';
import { forcingOf, readAddress, withoutForce } from './force.ts';
import css from './inspector.css?inline';
import { keepOnTop } from './keepOnTop.ts';
import { readKept, writeKept, type Kept } from './kept.ts';
import { listenToPage } from './listenToPage.ts';
import { reportOf } from './markdown.ts';
import type { Actions, Model } from './model.ts';
import type { Mount } from './mount.ts';
import { forcedOptions, openOnPage } from './onPage.ts';
import { readRows, replay } from './rows.ts';
import { Shell } from './Shell.tsx';
import { optionsInWords, refresh, subjectOf, unseenQuestion, type Subject } from './subject.ts';
import { openTap } from './tap.ts';
import { watchOffers, type Sight } from './watchOffers.ts';

/** What the page talks to. */
export interface Inspector {
  look(mount: Mount): void;
}

/** Milliseconds between two looks at what tells nobody that it changes. */
const LOOK_MS = 500;
/** Milliseconds between two looks at what is seen, while somebody looks at it here. */
const SEEN_MS = 100;

/** Opens the inspector on this page. */
export function openInspector(): Inspector {
  const asked = readAddress(location.search);
  let kept: Kept = readKept(location.search.includes('offerlet=inspect'));
  if (asked) kept = { ...kept, forced: asked.forced };
  writeKept(kept);

  const top = keepOnTop();
  const root = top.host.attachShadow({ mode: 'open' });
  const styles = new CSSStyleSheet();
  styles.replaceSync(css);
  root.adoptedStyleSheets = [styles];

  const subjects: Subject[] = [];
  const tap = openTap(soon);
  const onPage = openOnPage();
  const watch = watchOffers();
  let chosen: Subject | undefined;
  let sights: readonly Sight[] = [];
  let checks: readonly Check[] | undefined;
  let said = '';
  let isDrawing = false;
  const page = listenToPage((event, place) => {
    const subject = subjects.find(({ mount }) => mount.offers.explain().events.includes(event));
    if (subject && place) subject.hosts.add(place);
    if (subject && event.type === 'rendered') subject.renderedAt = performance.now();
    top.settle();
    soon();
  });
  impose();
  setInterval(tick, LOOK_MS);
  setInterval(() => kept.isOpen && kept.tab === 'Seen' && draw(), SEEN_MS);

  const actions: Actions = {
    open(isOpen) {
      keep({ isOpen });
      root.querySelector<HTMLElement>(isOpen ? '[role=tab][aria-selected=true]' : '.opener')?.focus();
    },
    dock: (dock) => keep({ dock }),
    show(tab) {
      keep({ tab });
      if (tab === 'Page') actions.check();
      tick();
    },
    choose(id) {
      chosen = subjects.find((subject) => subject.id === id);
      tick();
    },
    force(forced) {
      if (readAddress(location.search)) history.replaceState(history.state, '', withoutForce(location.href));
      keep({ forced });
      impose();
      for (const subject of subjects) show(subject);
    },
    consent: (isGiven) => chosen?.mount.offers.consent(isGiven),
    flush: () => void act('Sent what may be sent.', async () => chosen?.queue?.flush()),
    purge: () => void act('The queue is empty.', async () => chosen?.queue?.purge()),
    replay: (letter) =>
      void act('Sent once more.', async () => (chosen?.queue ? replay(chosen.relay, chosen.queue, letter) : undefined)),
    check: () => void act('', check),
    copyReport: () => void act('The report is in the clipboard.', copyReport),
  };

  return {
    look(mount) {
      let subject = subjects.find((known) => known.mount.offers === mount.offers);
      if (!subject) {
        subject = subjectOf(mount, subjects.length + 1);
        subjects.push(subject);
        tap.watch(subject.relay);
      }
      subject.mount = mount;
      chosen ??= subject;
      if (subject.shownUnder !== wordsNow()) return show(subject);
      const placement = mount.options?.request?.placement_details as { display_mode?: string } | undefined;
      subject.mode = placement?.display_mode ?? '';
      if (mount.body) {
        subject.body = mount.body;
        subject.json = mount.json;
        // From now on what it sends goes by the tap.
        subject.queue = mount.reopen();
      }
      tick();
    },
  };

  function wordsNow(): string {
    return Object.keys(kept.forced).length > 0 ? JSON.stringify(kept.forced) : '';
  }

  /** Begins a mount anew under what is forced now. */
  function show(subject: Subject): void {
    const { page } = forcingOf(kept.forced);
    subject.shownUnder = wordsNow();
    subject.before = subject.mount.offers.explain().events.at(-1);
    subject.json = undefined;
    subject.renderedAt = undefined;
    subject.mount.again(forcedOptions(subject.own, page ?? {}));
    soon();
  }

  function impose(): void {
    const forcing = forcingOf(kept.forced);
    tap.force(forcing);
    onPage.force(forcing.page ?? {});
  }

  function keep(changes: Partial<Kept>): void {
    kept = { ...kept, ...changes };
    writeKept(kept);
    draw();
  }

  async function act(done: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      said = done;
    } catch (error) {
      said = String(error);
    }
    tick();
  }

  async function check(): Promise<void> {
    if (chosen) checks = await checkPage({ subject: chosen, fetch: tap.fetch, ...page });
  }

  async function copyReport(): Promise<void> {
    const subject = chosen;
    if (!subject) return;
    await Promise.all([check(), refresh(subject, readRows)]);
    const story = subject.mount.offers.explain();
    await copyText(
      root,
      reportOf({
        story,
        unseen: unseenQuestion(subject, story, tap.exchanges),
        forced: kept.forced,
        options: optionsInWords(subject),
        exchanges: tap.exchanges,
        stats: subject.stats,
        checks: checks ?? [],
        href: location.href,
        now: new Date(),
      }),
    );
  }

  function tick(): void {
    top.settle();
    const subject = chosen;
    if (!subject || !kept.isOpen || (kept.tab !== 'Queue' && kept.tab !== 'Events')) return soon();
    refresh(subject, readRows).then(draw, draw);
  }

  function soon(): void {
    if (isDrawing) return;
    isDrawing = true;
    queueMicrotask(draw);
  }

  function draw(): void {
    isDrawing = false;
    sights = kept.isOpen && kept.tab === 'Seen' ? watch.look(subjects.flatMap(({ hosts }) => [...hosts])) : [];
    const model: Model = {
      kept,
      subjects,
      subject: chosen,
      story: chosen?.mount.offers.explain(),
      exchanges: tap.exchanges,
      sights,
      checks,
      unknown: asked?.unknown ?? [],
      said,
      heardAt: page.heardAt,
    };
    render(<Shell model={model} actions={actions} />, root);
  }
}
