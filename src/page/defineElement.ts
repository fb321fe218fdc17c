import type { OfferLetElement } from './elementTypes.d.ts';
import type { showOffers } from './showOffers.ts';
import { ATTRIBUTES, readAttributes, type Mount } from './showOptions.ts';
import { LAYERS } from '../widget/props.ts';
import type { ConsentPlace } from '../session/consent.ts';
import { consentTexts, type LoadSources, readConsent } from './namedConsent.ts';

/** What is written here of an element. `reflecting` adds the properties of its attributes. */
type ElementWithOffers = Pick<OfferLetElement, 'mount' | 'consent'>;

/** Attributes of which a change requests offers anew. */
const IDENTITY = /^(view|display-mode|order-id)$/;

/** Defines `<offer-let>`, which shows offers in its place. Does nothing on a server, or where it is defined already. */
export function defineElement(show: typeof showOffers, load: LoadSources): void {
  try {
    if (!customElements.get('offer-let'))
      customElements.define('offer-let', reflecting(createElementClass(show, load)));
  } catch {
    // A server has no registry, and a page may have replaced its own by something that throws.
  }
}

/** Gives a class a property for each attribute, because frameworks set properties. `order-id` is `orderId`. */
function reflecting<T extends CustomElementConstructor>(element: T): T {
  for (const attribute of ATTRIBUTES)
    if (attribute !== 'consent')
      Object.defineProperty(element.prototype, propertyOf(attribute), {
        configurable: true,
        enumerable: true,
        get(this: Element) {
          return this.getAttribute(attribute);
        },
        set(this: Element, value: string | number | boolean | null | undefined) {
          if (value == null || value === false) this.removeAttribute(attribute);
          else this.setAttribute(attribute, value === true ? '' : `${value}`);
        },
      });
  return element;
}

function propertyOf(attribute: string): string {
  return attribute.replace(/-./g, ([, letter = '']) => letter.toUpperCase());
}

function createElementClass(show: typeof showOffers, load: LoadSources): CustomElementConstructor {
  return class extends HTMLElement implements ElementWithOffers {
    static readonly observedAttributes = ATTRIBUTES;
    // However far outside the view: all that is asked is whether it has a box. Only with a root margins count in a frame of
    // another origin, and only without one WebKit counts those of scrolling boxes.
    readonly #observer = new IntersectionObserver(() => this.#look(), {
      root: parent === window ? null : this.ownerDocument,
      rootMargin: '1000000px',
      scrollMargin: '1000000px',
    });
    #mount: Mount | undefined;
    readonly #place: ConsentPlace = {};
    /** Once the attribute `consent` was there, its absence means undecided. */
    #hasConsent = false;

    get mount(): Mount | undefined {
      if (this.#mount || !this.#isRendered()) return this.#mount;
      const options = readAttributes(this, '', load);
      if (this.#hasConsent && !('consent' in options)) options.consent = undefined;
      this.#mount = show({ ...options, target: this }, { prefix: '', consentTexts, place: this.#place });
      return this.#mount;
    }

    get consent(): string | null {
      return this.getAttribute('consent');
    }

    /** Frameworks set properties where there are some, and would leave out an attribute that is `false`. */
    set consent(value: string | boolean | null | undefined) {
      this.setAttribute('consent', value === true ? 'granted' : value === false ? 'denied' : (value ?? 'required'));
    }

    connectedCallback(): void {
      for (const attribute of ATTRIBUTES) {
        // What was set before the class was there: a property, which hides ours, or the attribute `orderid`.
        const name = propertyOf(attribute);
        const set = Object.getOwnPropertyDescriptor(this, name) ?? this.getAttributeNode(name);
        if (name !== attribute) this.removeAttribute(name);
        if (set && Reflect.deleteProperty(this, name)) Reflect.set(this, name, set.value);
      }
      // Some frameworks insert the element first, and set its attributes afterwards.
      queueMicrotask(() => this.mount);
      this.#observer.observe(this);
    }

    /** Frameworks keep pages that were left, without a box. Such an element asks for nothing and leaves no layer open. */
    #look(): void {
      const mode = this.getAttribute('display-mode') as keyof typeof LAYERS;
      // A page may hide it by its mark, as page.md says. To destroy it would take the mark away, and all would begin anew.
      const isOver = this.matches('[data-offerlet]:not([data-offerlet=rendered])');
      if (this.mount && LAYERS[mode] && !isOver && !this.#isRendered()) this.#destroy();
    }

    #isRendered(): boolean {
      return (this as Partial<Element>).checkVisibility?.() ?? this.isConnected;
    }

    disconnectedCallback(): void {
      // A framework that moves the element removes it and inserts it at once.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#observer.disconnect();
        this.#destroy();
      });
    }

    attributeChangedCallback(name: string, before: string | null, now: string | null): void {
      const isConsent = name === 'consent';
      this.#hasConsent ||= isConsent;
      if (before === now) return;
      // As with a property: what was denied holds for the next mount until the attribute says something new.
      if (isConsent) this.#place.latest = undefined;
      if (!this.#mount) return;
      const { outcome, request } = this.#mount.explain();
      if (isConsent && outcome?.code !== 'invalid_config') {
        this.#mount.consent(readConsent(now, load));
      } else if (IDENTITY.test(name) || !request) {
        this.#destroy();
        this.connectedCallback();
      }
    }

    #destroy(): void {
      this.#mount?.destroy();
      this.#mount = undefined;
    }
  };
}
