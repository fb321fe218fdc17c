import { DISPLAY_MODES, VIEWS } from '../../wire/offers/request.ts';
import { oneOf } from '../../wire/oneOf.ts';
import type { Forcing, OfferChanges, PageForcing } from '../../wire/scenarios/forcing.ts';
import { findScenario } from '../../wire/scenarios/scenarios.ts';
import type { Forced } from './forceOptions.ts';

/** Returns what the forced values mean together. Single values take precedence over the scenario. */
export function forcingOf(forced: Forced): Forcing {
  const scenarios = ['scenario', 'ask', 'send'].flatMap((name) => findScenario(forced[name]) ?? []);
  const faults = scenarios.flatMap((scenario) => scenario.faults ?? []);
  if (forced['fail']) {
    const fail_indexes = forced['fail'].split(',').map((position) => Number(position) - 1);
    faults.unshift({ route: '/events/batch', fail_indexes, times: 1 });
  }
  const scenario = findScenario(forced['scenario']);
  return {
    response: changesOf(forced, scenario?.response),
    faults,
    page: pageForcingOf(forced, scenario?.page),
  };
}

function changesOf(forced: Forced, scenario: OfferChanges | undefined): OfferChanges | undefined {
  const changes = {
    ...scenario,
    ...(forced['offers'] && { offers: Number(forced['offers']) }),
    ...(forced['copy'] && { copy: 'long' as const }),
    ...(forced['parts'] && { parts: 'missing' as const }),
    ...(forced['promo'] && { promo: 'code' as const }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function pageForcingOf(forced: Forced, scenario: PageForcing = {}): PageForcing {
  return {
    ...scenario,
    mode: oneOf(DISPLAY_MODES, forced['mode']) ?? scenario.mode,
    view: oneOf(VIEWS, forced['view']) ?? scenario.view,
    theme: oneOf(['auto', 'light', 'dark'], forced['theme']) ?? scenario.theme,
    locale: forced['locale'] ?? scenario.locale,
    dir: oneOf(['ltr', 'rtl'], forced['dir']) ?? scenario.dir,
    consent: oneOf(['pending', 'denied'], forced['consent']) ?? scenario.consent,
    storage: oneOf(['refused'], forced['storage']) ?? scenario.storage,
  };
}
