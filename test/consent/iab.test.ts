// IAB's own implementations of what a consent platform puts on the page.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CmpApi as TcfPlatform } from '@iabtechlabtcf/cmpapi';
import { GVL, PurposeRestriction, RestrictionType, TCModel, TCString } from '@iabtechlabtcf/core';
import { CmpApi as GppPlatform } from '@iabgpp/cmpapi';
import { gpp, tcf } from '../../src/consent.ts';
import { listen } from './listen.ts';

const page = globalThis as Record<string, unknown>;

beforeEach(() => {
  vi.useFakeTimers();
  page.window = page;
  vi.spyOn(console, 'error').mockReturnValue(); // the package complains that no stub came before it
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of ['window', '__tcfapi', '__gpp']) delete page[name];
});

const VENDOR = 2;

/** A consent string in which the shopper agreed to everything required, changed by `change`. */
function tcString(change: (model: TCModel) => void = () => {}): string {
  const model = new TCModel(
    new GVL({
      gvlSpecificationVersion: 3,
      vendorListVersion: 1,
      tcfPolicyVersion: 5,
      lastUpdated: '2026-01-01T00:00:00Z',
      purposes: Object.fromEntries([1, 3, 7].map((id) => [id, { id, name: '', description: '', illustrations: [] }])),
      specialPurposes: {},
      features: {},
      specialFeatures: {},
      stacks: {},
      dataCategories: {},
      vendors: {
        [VENDOR]: {
          id: VENDOR,
          name: 'Network',
          purposes: [1, 3],
          legIntPurposes: [7],
          flexiblePurposes: [3, 7],
          specialPurposes: [],
          features: [],
          specialFeatures: [],
          policyUrl: '',
          usesCookies: false,
          cookieMaxAgeSeconds: null,
          usesNonCookieAccess: true,
        },
      },
    } as unknown as ConstructorParameters<typeof GVL>[0]),
  );
  Object.assign(model, {
    cmpId: 3,
    cmpVersion: 1,
    consentScreen: 1,
    consentLanguage: 'EN',
    publisherCountryCode: 'DE',
  });
  model.purposeConsents.set([1, 3]);
  model.purposeLegitimateInterests.set([7]);
  model.vendorConsents.set([VENDOR]);
  model.vendorLegitimateInterests.set([VENDOR]);
  change(model);
  return TCString.encode(model);
}
const options = { purposes: [1, 3], legitimateInterests: [7], vendor: VENDOR };

/** The decision where there is a string already, without any event. */
function decidedBy(encoded: string | null, source = tcf(options)): boolean[] {
  new TcfPlatform(3, 1, true).update(encoded);
  const { decisions, stop } = listen(source);
  stop();
  return decisions;
}

test('TCF: the current decision is read without any event, and each change after it', () => {
  const platform = new TcfPlatform(3, 1, true);
  platform.update(tcString());
  const { decisions, stop } = listen(tcf(options));
  expect(decisions).toEqual([true]);
  platform.update(tcString(), true);
  expect(decisions).toEqual([true]);
  platform.update(tcString((model) => model.purposeConsents.unset(3)));
  expect(decisions).toEqual([true, false]);
  stop();
  platform.update(tcString());
  expect(decisions).toEqual([true, false]);
});

test('TCF: a platform that loads late is found, and what the shopper chooses then decides', () => {
  const { decisions, stop } = listen(tcf(options));
  vi.advanceTimersByTime(1_000);
  const platform = new TcfPlatform(3, 1, true);
  platform.update('', true);
  vi.advanceTimersByTime(1_000);
  expect(decisions).toEqual([]);
  platform.update(tcString());
  expect(decisions).toEqual([true]);
  stop();
});

test('TCF: where GDPR does not apply there is no banner and no event, and consent is given', () => {
  expect(decidedBy(null)).toEqual([true]);
});

test('TCF: a refused vendor, an objection and a restriction of the publisher deny consent', () => {
  const restrict = (purposeId: number, type: RestrictionType) =>
    tcString((model) => model.publisherRestrictions.add(VENDOR, new PurposeRestriction(purposeId, type)));
  expect(decidedBy(tcString((model) => model.vendorConsents.unset(VENDOR)))).toEqual([false]);
  expect(decidedBy(tcString((model) => model.vendorLegitimateInterests.unset(VENDOR)))).toEqual([false]);
  expect(decidedBy(tcString((model) => model.purposeLegitimateInterests.unset(7)))).toEqual([false]);
  expect(decidedBy(restrict(1, RestrictionType.NOT_ALLOWED))).toEqual([false]);
  expect(decidedBy(restrict(3, RestrictionType.REQUIRE_LI))).toEqual([false]);
  expect(decidedBy(restrict(7, RestrictionType.REQUIRE_CONSENT))).toEqual([false]);
  // Without the vendor's number, nothing can be decided.
  expect(
    decidedBy(
      tcString((model) => model.vendorConsents.unset(VENDOR)),
      tcf({ purposes: [1, 3] }),
    ),
  ).toEqual([true]);
});

test('TCF 2.3: a vendor that the shopper was not told of has no consent', () => {
  const disclose = (...ids: number[]): string => tcString((model) => model.vendorsDisclosed.set(ids));
  expect(decidedBy(disclose(VENDOR, 9))).toEqual([true]);
  expect(decidedBy(disclose(1, 9))).toEqual([false]);
  expect(decidedBy(disclose(1, 9), tcf({ purposes: [1, 3] }))).toEqual([true]);
  // Strings of earlier versions disclose nobody; some platforms have no list then.
  expect(decidedBy(disclose())).toEqual([true]);
});

/** A platform of which the national section applies, with what is given set in it. */
function openGpp(fields: Record<string, unknown> = {}, sections = [7]): GppPlatform {
  page.__gpp = (command: string) => (command === 'events' ? [] : undefined); // IAB's stub comes before the platform
  const platform = new GppPlatform(3, 1);
  for (const [name, value] of Object.entries({ SaleOptOut: 2, SharingOptOut: 2, ...fields }))
    platform.setFieldValueBySectionId(7, name, value);
  platform.setApplicableSections(sections);
  return platform;
}

/** The decision where there is a choice already, without any event. */
function decidedByGpp(fields: Record<string, unknown>, sections?: number[]): boolean[] {
  openGpp(fields, sections).setSignalStatus('ready' as never);
  const { decisions, stop } = listen(gpp());
  stop();
  return decisions;
}

test('GPP: the current decision is read without any event', () => {
  expect(decidedByGpp({})).toEqual([true]);
  expect(decidedByGpp({ SharingOptOut: 0, TargetedAdvertisingOptOut: 0 })).toEqual([true]);
});

test('GPP: opting out of the sale or sharing of data denies consent, and so does Global Privacy Control', () => {
  expect(decidedByGpp({ SaleOptOut: 1 })).toEqual([false]);
  expect(decidedByGpp({ SharingOptOut: 1 })).toEqual([false]);
  expect(decidedByGpp({ TargetedAdvertisingOptOut: 1 })).toEqual([false]);
  expect(decidedByGpp({ Gpc: true })).toEqual([false]);
  // The business says that it sells nothing, so it did not offer an opt-out.
  expect(decidedByGpp({ SaleOptOut: 0 })).toEqual([false]);
});

test('GPP: consent is given where no section applies, and denied by a section that is not read', () => {
  expect(decidedByGpp({}, [-1])).toEqual([true]);
  for (const sections of [[], [0], [2], [6], [7, 2], [-1, 2], [99]])
    expect(decidedByGpp({}, sections), sections.join()).toEqual([false]);
});

test('GPP: the section of every state that the platform knows is found by its number', () => {
  for (let id = 8; id <= 27; id++) {
    const decided = [2, 1].map((SaleOptOut) => {
      const platform = openGpp({}, [id]);
      platform.setFieldValueBySectionId(id, 'SaleOptOut', SaleOptOut);
      if (id === 8) platform.setFieldValueBySectionId(id, 'SharingOptOut', 2);
      platform.setSignalStatus('ready' as never);
      const { decisions, stop } = listen(gpp());
      stop();
      return decisions[0];
    });
    expect(decided, `section ${id}`).toEqual([true, false]);
  }
});

test('GPP: nothing is decided until the signal is ready; after the end nothing is reported', () => {
  const { decisions, stop } = listen(gpp());
  vi.advanceTimersByTime(1_000);
  const platform = openGpp();
  vi.advanceTimersByTime(1_000);
  expect(decisions).toEqual([]);
  platform.setSignalStatus('ready' as never);
  expect(decisions).toEqual([true]);
  platform.setFieldValueBySectionId(7, 'SaleOptOut', 1);
  platform.fireSectionChange('usnat');
  expect(decisions.at(-1)).toBe(false);
  stop();
  platform.setFieldValueBySectionId(7, 'SaleOptOut', 2);
  platform.fireSectionChange('usnat');
  expect(decisions.at(-1)).toBe(false);
});

test('GPP: an unknown value or section denies consent', () => {
  const event = (section: unknown): object => ({
    pingData: { signalStatus: 'ready', applicableSections: [7], parsedSections: { usnat: section } },
  });
  const decidedFor = (section: unknown): boolean[] => {
    page.__gpp = (_: string, callBack: (event: object, isSuccess: boolean) => void) => callBack(event(section), true);
    return listen(gpp()).decisions;
  };
  // Some platforms list the segments of a section.
  expect(decidedFor([{ SaleOptOut: 2, SharingOptOut: 2 }, { Gpc: false }])).toEqual([true]);
  for (const section of [
    undefined,
    null,
    {},
    [],
    'SaleOptOut',
    { SaleOptOut: '2' },
    { SaleOptOut: true },
    { SaleOptOut: 3 },
    { SaleOptOut: 2, SharingOptOut: 3 },
    { SaleOptOut: 2, SharingOptOut: '2' },
    { SaleOptOut: 2, Gpc: 'false' },
    [{ SaleOptOut: 2 }, { Gpc: true }],
  ])
    expect(decidedFor(section), JSON.stringify(section)).toEqual([false]);
});

test('TCF and GPP: a platform that throws has denied, loaded early or late, and so has an element of its name', () => {
  const throwing = (): never => {
    throw new Error('theirs');
  };
  const unreadable = (...call: unknown[]): void => {
    const callBack = call.find((each) => typeof each === 'function') as (event: object, isSuccess: boolean) => void;
    callBack(
      {
        get eventStatus() {
          return throwing();
        },
        get pingData() {
          return throwing();
        },
      },
      true,
    );
  };
  for (const api of [throwing, unreadable, { localName: 'iframe' }])
    for (const [name, source] of [
      ['__tcfapi', tcf(options)],
      ['__gpp', gpp()],
    ] as const) {
      const late = listen(source);
      page[name] = api;
      expect(() => vi.advanceTimersByTime(1_000)).not.toThrow();
      expect([late.decisions, listen(source).decisions]).toEqual([[false], [false]]);
      delete page[name];
    }
});

/** A platform that calls back at once, with everything agreed to except for what is given. */
function decidedWith(more: object, source = tcf(options)): boolean | undefined {
  const on = { [VENDOR]: true };
  const data = {
    eventStatus: 'tcloaded',
    gdprApplies: true,
    purpose: { consents: { 1: true, 3: true }, legitimateInterests: { 7: true, 9: true } },
    vendor: { consents: on, legitimateInterests: on },
    ...more,
  };
  page.__tcfapi = (_command: string, _version: number, callBack: (data: object, isSuccess: boolean) => void) =>
    callBack(data, true);
  return listen(source).decisions[0];
}
const restrict = (purpose: number, restriction: unknown): object => ({
  publisher: { restrictions: { [purpose]: { [VENDOR]: restriction } } },
});

test('TCF: what is missing or no boolean is no consent', () => {
  const on = { [VENDOR]: true };
  const cases: object[] = [
    { gdprApplies: undefined, purpose: undefined },
    { vendor: undefined },
    { vendor: { consents: { [VENDOR]: 'true' }, legitimateInterests: on } },
    { purpose: { consents: { 1: 'true', 3: 'true' }, legitimateInterests: { 7: true } } },
    { purpose: { consents: { 1: true }, legitimateInterests: { 7: true } } },
    { purpose: { consents: { 1: true, 3: true }, legitimateInterests: { 9: true } } },
  ];
  expect(cases.map((more) => decidedWith(more))).toEqual(cases.map(() => false));
  expect(decidedWith({}, tcf({ purposes: [] }))).toBe(false);
});

test('TCF: legitimate interests need no vendor, and may be all that is required', () => {
  const source = tcf({ purposes: [1], legitimateInterests: [7] });
  expect(decidedWith({ vendor: undefined }, source)).toBe(true);
  expect(decidedWith({ purpose: { consents: { 1: true } } }, source)).toBe(false);
  expect(decidedWith({}, tcf({ purposes: [], legitimateInterests: [7] }))).toBe(true);
});

test('TCF: a restriction of the publisher forbids a purpose, or demands a basis', () => {
  const verdicts = (purpose: number): (boolean | undefined)[] =>
    [0, 1, 2, 3, '1', null].map((restriction) => decidedWith(restrict(purpose, restriction)));
  // For consent only 1 is allowed, for a legitimate interest only 2.
  expect(verdicts(3)).toEqual([false, true, false, false, false, false]);
  expect(verdicts(7)).toEqual([false, false, true, false, false, false]);
  // Purposes that are not required, and other vendors, do not matter.
  expect(verdicts(2)).toEqual([true, true, true, true, true, true]);
  expect(decidedWith({ publisher: { restrictions: { 3: { 1: 0 } } } })).toBe(true);
});

test('TCF: with a purpose in both lists, either basis is enough, and a restriction chooses one', () => {
  const flexible = tcf({ purposes: [1, 7], legitimateInterests: [7], vendor: VENDOR });
  const consented = { purpose: { consents: { 1: true, 7: true } } };
  const decided = [
    {},
    restrict(7, 1),
    consented,
    { ...consented, ...restrict(7, 1) },
    { ...consented, ...restrict(7, 2) },
  ];
  expect(decided.map((more) => decidedWith(more, flexible))).toEqual([true, false, true, true, false]);
});

test('TCF: stopped before the platform has loaded, it never calls it', () => {
  const { stop } = listen(tcf({ purposes: [1] }));
  stop();
  page.__tcfapi = vi.fn();
  vi.advanceTimersByTime(1_000);
  expect(page.__tcfapi).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('TCF: a stub that responds after the end is unsubscribed', () => {
  const queued: unknown[][] = [];
  page.__tcfapi = (...call: unknown[]) => void queued.push(call);
  const { decisions, stop } = listen(tcf({ purposes: [1] }));
  stop();
  const callBack = queued[0]?.[2] as (data: object | null, isSuccess: boolean) => void;
  callBack(null, true);
  callBack({ listenerId: 4, eventStatus: 'tcloaded', gdprApplies: false }, true);
  expect(decisions).toEqual([]);
  expect(queued[1]).toMatchObject(['removeEventListener', 2, expect.anything(), 4]);
});
