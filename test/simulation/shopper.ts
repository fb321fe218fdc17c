import type { PlacedOffer } from '../../src/wire/offers/response.ts';
import type { Session, SessionEvent, SessionOptions } from '../../src/session/openSession.ts';
import { own } from '../../src/wire/json.ts';
import type { Device, Tab, TabFetch } from './browser.ts';
import type { Act, PageEvent, Step } from './plan.ts';
import type { Realm } from './realm.ts';
import type * as PageRealm from './realms/page.ts';
import type { RelayServer } from './relay.ts';
import type { Truth } from './truth.ts';
import { DeadError } from './world.ts';

/** A tab with a thank-you page. */
export interface View {
  readonly tab: Tab;
  readonly session: Session;
  offers: readonly PlacedOffer[];
  /** What the shopper has decided here, or has been told elsewhere. */
  hasConsent: boolean;
  isDestroyed: boolean;
  /** When the shopper has decided here, by the world's time. */
  decidedAt: number;
}

export interface ShopperOptions {
  readonly device: Device;
  readonly page: Realm<typeof PageRealm>;
  readonly send: TabFetch;
  readonly truth: Truth;
  /** The merchant's server, which prefetches one order in one tab. */
  readonly server: RelayServer;
  /** Who it is: the same person may use two devices. */
  readonly person: number;
}

/** Milliseconds in which every tab has been told of a denial. */
const TOLD_MS = 20;

/** Somebody on a device, and what she does there. */
export class Shopper {
  readonly device: Device;
  readonly #options: ShopperOptions;
  readonly #views: View[] = [];
  /** The latest decision on this device. */
  hasConsent = true;

  constructor(options: ShopperOptions) {
    this.device = options.device;
    this.#options = options;
  }

  do(step: Extract<Step, { device: number }>): void {
    if (step.do === 'open') return this.#open(step.tab, step.order);
    const view = this.#views[step.tab];
    if (!view?.tab.process.isAlive) return undefined;
    if (step.do === 'kill tab') return view.tab.process.killIn(step.calls);
    try {
      if (step.do === 'act') this.#act(view, step.act, step.offer);
      else this.#turn(view, step.do);
    } catch (error) {
      // It has died meanwhile.
      if (!(error instanceof DeadError)) throw error;
    }
  }

  /** Opens the page again when everything works. */
  comeBack(): void {
    for (const { tab } of this.#views.filter(Boolean)) tab.process.killIn(Infinity);
    this.#open(0, 9, this.hasConsent ? {} : { consent: 'required' });
  }

  #open(number: number, order: number, more: { consent?: 'required' } = {}): void {
    const { device, truth, person, server } = this.#options;
    this.#views[number]?.tab.process.kill('closed');
    const request = {
      user_details: { email_hash: String(person).repeat(64) },
      placement_details: truth.plan.placement,
      order_details: { order_id: `order-${order}` },
    };
    if (order !== 1 || number !== 0) return this.#show(number, request, more);
    void server.prefetch(device.machine, request).then((prefetched) => {
      if (prefetched) truth.blocks.push({ session: String(own(prefetched.response, 'session_id')), person });
      this.#show(number, request, { prefetched });
    });
  }

  #show(
    number: number,
    request: SessionOptions['request'],
    more: Pick<SessionOptions, 'prefetched'> & { consent?: 'required' },
  ): void {
    const { device, page, send, truth } = this.#options;
    const tab = device.open(page, (process, url, init) => {
      truth.noteRequest(device, { url, init, process, hasConsent: view.hasConsent });
      return send(process, url, init);
    });
    const { process } = tab;
    const hasConsent = more.consent === undefined;
    this.hasConsent = hasConsent;
    const session = tab.program.openSession({
      relay: 'https://shop.example/offers',
      request,
      onEvent: (event) => process.isAlive && this.#hear(view, event),
      ...more,
    });
    const view: View = {
      tab,
      session,
      offers: [],
      hasConsent,
      isDestroyed: false,
      decidedAt: device.world.time,
    };
    this.#views[number] = view;
    session.subscribe((event) => {
      if (event.type !== 'outcome' || !process.isAlive) return;
      device.world.note(`${process.name} has ${event.code}: ${event.message}`);
      view.offers = event.groups.flatMap(({ offers }) => offers);
    });
  }

  #hear({ tab, hasConsent }: View, event: SessionEvent): void {
    const { truth, device } = this.#options;
    const { name } = tab.process;
    if (event.type === 'tracked') {
      device.world.note(`${name} tracked ${event.event.event_name} ${event.event.event_id.slice(0, 6)}`);
      return truth.noteTracked(device, tab.process, { event: event.event, hasConsent });
    }
    if (event.type === 'dropped')
      truth.dropped.push({ device, tab: tab.process, reason: event.reason, count: event.count });
    else if (event.type === 'delivered') truth.noteDelivered(device, name, event.eventIds);
    else if (event.type === 'deadLetter') truth.dead.set(event.event.event_id, { device, reason: event.reason });
    else if (event.type === 'error' && /memory/.test(event.reason)) truth.broken.push(`${name}: ${event.reason}`);
    if (event.type !== 'outcome') device.world.note(`${name} says ${JSON.stringify(event).slice(0, 160)}`);
    return undefined;
  }

  #act({ session, offers }: View, act: Act, number: number): void {
    const offer = offers[number % (offers.length || 1)];
    if (!offer) return;
    if (act === 'footer') session.footer('privacy');
    else if (act !== 'everything') session[act](offer);
    else
      for (const each of offers) {
        session.viewed(each);
        session.accept(each);
      }
  }

  #turn(view: View, event: PageEvent): void {
    const { tab, session } = view;
    const { world } = this.device;
    switch (event) {
      case 'hide':
      case 'show':
        tab.document.hidden = event === 'hide';
        return tab.emit('visibilitychange');
      case 'online':
        return tab.emit('online');
      case 'leave':
        tab.emit('pagehide');
        // A page lives on for a moment while it is left.
        return void world.in(world.between(0, 5), () => tab.process.kill('left'));
      case 'destroy':
        view.isDestroyed = true;
        return session.destroy();
      case 'dismiss':
        return session.dismiss('close');
      case 'deny':
        return view.isDestroyed ? undefined : this.#deny(view);
      case 'allow':
        if (view.isDestroyed) return undefined;
        view.decidedAt = world.time;
        this.hasConsent = view.hasConsent = true;
        return session.consent(true);
    }
  }

  #deny(view: View): void {
    const { truth, device } = this.#options;
    const others = this.#views.filter((each) => each && each !== view && each.tab.process.isAlive);
    const isDone = (): boolean => view.tab.process.isAlive;
    try {
      view.session.consent(false);
    } finally {
      // One that dies while it says so may have said nothing.
      truth.noteDenial(device, isDone());
      if (isDone()) {
        view.hasConsent = this.hasConsent = false;
        this.#tell(others);
      }
    }
  }

  #tell(others: readonly View[]): void {
    const { truth, device } = this.#options;
    const { world } = device;
    const deniedAt = world.time;
    world.in(TOLD_MS, () => {
      const told = others.filter(({ decidedAt }) => decidedAt <= deniedAt);
      for (const other of told) other.hasConsent = false;
      truth.noteTold(told.map(({ tab }) => tab.process));
    });
  }
}
