// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import type { Asset, PlacedGroup } from '../../src/wire/offers/response.ts';
import { messagesFor } from '../../src/widget/messages.ts';
import { mountWidget as mountWhole, type MountedWidget } from '../../src/widget/mountWidget.tsx';
import type { WidgetProps } from '../../src/widget/props.ts';
import { seeded } from '../fixtures/random.ts';
import { FOOTER, hero, list, pictures, placed } from '../widget/offers.ts';

/** The built widget, on the reduced Preact. The source has the whole one. */
const BUILT: string = new URL('../../dist/widget/mountWidget.js', import.meta.url).pathname;

const offers = (from: number, count: number, assets: Asset[] = []): ReturnType<typeof placed>[] =>
  Array.from({ length: count }, (_, index) => placed(from + index, { assets }));

const SCENES: Readonly<Record<string, { mode: WidgetProps['mode']; groups: PlacedGroup[] }>> = {
  'a sequence': { mode: 'INLINE', groups: [hero(...offers(0, 4))] },
  'a sequence with tiles': { mode: 'INLINE', groups: [hero(...offers(0, 3, pictures(3)))] },
  'a list of 20': { mode: 'INLINE', groups: [list(...offers(0, 20))] },
  'a sequence, a list and another list': {
    mode: 'INLINE',
    groups: [
      hero(...offers(0, 3)),
      list(...offers(3, 6, pictures(2))),
      { ...list(...offers(9, 3)), id: 'group_2', heading: undefined },
    ],
  },
  'a pull-up': { mode: 'PULLUP', groups: [hero(...offers(0, 3))] },
  'an overlay': { mode: 'OVERLAY', groups: [hero(...offers(0, 2)), list(...offers(2, 4))] },
};

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

test.each(Object.keys(SCENES))(
  'the reduced Preact shows %s as the whole Preact does, whatever is clicked',
  async (name) => {
    const { mountWidget: mountLean } = (await import(/* @vite-ignore */ BUILT)) as { mountWidget: typeof mountWhole };
    const scene = SCENES[name] ?? expect.fail();
    vi.useFakeTimers();
    // Links lead nowhere.
    window.addEventListener('click', (event) => event.preventDefault());
    for (let seed = 1; seed <= 5; seed++) {
      const random = seeded(seed);
      const both = [show(mountWhole, scene), show(mountLean, scene)] as const;
      for (let step = 0; step < 16 && both[0].isOpen(); step++) {
        const choice = random();
        for (const shown of both) shown.click(choice);
        vi.advanceTimersByTime(step % 3 ? 500 : 30);
        expect(both[1].state(), `seed ${seed}, step ${step}`).toEqual(both[0].state());
      }
      for (const shown of both) shown.mounted.remove();
      expect(both[1].state()).toEqual(both[0].state());
      document.body.replaceChildren();
    }
  },
);

interface Shown {
  mounted: MountedWidget;
  isOpen(): boolean;
  /** Clicks one of the controls. */
  click(choice: number): void;
  state(): unknown;
}

function show(mount: typeof mountWhole, scene: Pick<WidgetProps, 'mode' | 'groups'>): Shown {
  const host = document.body.appendChild(document.createElement('div'));
  const log: string[] = [];
  const mounted = mount(host, {
    ...scene,
    footer: FOOTER,
    sandbox: true,
    messages: messagesFor('en'),
    theme: 'auto',
    locale: 'en',
    watch: (subject, element) =>
      log.push(`watch ${subject.offer?.offer_id} ${subject.asset?.id} ${element?.localName}`),
    on: (action) => log.push(`${action.type} ${'offer' in action ? action.offer.offer_id : ''}`),
  });
  mounted.open();
  const root = host.shadowRoot ?? expect.fail('there is no shadow root');
  return {
    mounted,
    isOpen: () => root.childElementCount > 0,
    click(choice) {
      const controls = root.querySelectorAll('button:not([part=close]), a');
      const control = controls[Math.floor(choice * controls.length)];
      control?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
    },
    state: () => ({ html: root.innerHTML, log }),
  };
}
