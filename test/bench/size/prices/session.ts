import type { Price } from './price.ts';

const LIFECYCLE = 'session/openLifecycle.ts';
const OBTAIN = 'session/obtainOffers.ts';
const MEMORY = 'session/orderMemory.ts';
const REPORTER = 'session/createReporter.ts';
const OPTIONS = 'session/checkOptions.ts';
const REQUEST = 'session/requestOffers.ts';

/** What the session costs. */
export const SESSION_PRICES: readonly Price[] = [
  {
    behaviour: 'Session: an order is remembered on the device',
    lost: 'Each reload of the order page requests other offers and counts them again.',
    cuts: [
      [MEMORY, /if \(key\) here = merge\(.*/g, ''],
      [MEMORY, /const merge = [\s\S]*?\n {2}\};/, ''],
      [MEMORY, /if \(!key\) return;[\s\S]*?update\(key, merge\);/, ''],
      [MEMORY, /\/\/ The offers wait[\s\S]*?await write\(\);/, ''],
      [MEMORY, /attempt\(\(\) => sweep\(storage\(\), Infinity\)\);/, ''],
      [OBTAIN, /await orderKeyOf\(.*\)/, 'undefined'],
      ['session/findOffers.ts', /await memory\.keep\(.*\)/, ''],
      ['queue/openSessionQueue.ts', /openNotes\(core\.rows\.run\)/, '{ restore() {}, forget() {} }'],
      [LIFECYCLE, /queue\?\.notes\.sweep\(.*\)/, 'undefined'],
    ],
  },
  {
    behaviour: 'Session: it is remembered in IndexedDB, not in localStorage only',
    lost: 'A browser that is killed within seconds forgets, and events are counted twice.',
    cuts: [
      ['queue/openSessionQueue.ts', /openNotes\(core\.rows\.run\)/, '{ restore() {}, forget() {} }'],
      [MEMORY, /if \(key\) here = merge\(await .*/, ''],
      [MEMORY, /await notes\(\)\?\.update.*/, ''],
      [MEMORY, /void notes\(\)\?\.sweep.*/, ''],
      [LIFECYCLE, /queue\?\.notes\.sweep\(.*\)/, 'undefined'],
    ],
  },
  {
    behaviour: 'Session: tabs that open together send one request',
    lost: 'Each tab gets other offers for the same order.',
    cuts: [['session/findOffers.ts', /const locks = globalThis[\s\S]*?\n {2}\}\);/, 'return find();']],
  },
  {
    behaviour: 'Session: stored responses are reduced to checked fields',
    lost: 'Whatever else the network sends stays on the device.',
    cuts: [['session/findOffers.ts', /toStorable\(fresh\.value\)/, 'reply.json']],
  },
  {
    behaviour: 'Session: consent sources, and decisions that change',
    lost: 'Consent is one yes or no at the start.',
    cuts: [
      [LIFECYCLE, /if \(unsubscribe\) return;\s*const by[\s\S]*?if \(isClosed\) attempt\(unsubscribe\);/, ''],
      [LIFECYCLE, /if \(typeof consent === 'function'\) return.*/, ''],
      [LIFECYCLE, /if \(isClosed \|\| 'code' in placement[\s\S]*?else deny\(by\);/, ''],
    ],
  },
  {
    behaviour: 'Session: Global Privacy Control',
    lost: 'A shopper who says no in the browser is asked for offers all the same.',
    cuts: [
      [LIFECYCLE, /!hasPrivacySignal\(\)/, 'true'],
      [LIFECYCLE, /consent \? 'default' : '.*?'/, "'default'"],
    ],
  },
  {
    behaviour: 'Session: bots see offers and are not counted',
    lost: 'Crawlers inflate the report.',
    cuts: [[OBTAIN, /const isCounted = .*/, 'const isCounted = true;']],
  },
  {
    behaviour: 'Session: each display, view and double click counts once',
    lost: 'Reloads and double clicks inflate the report.',
    cuts: [
      [REPORTER, /const before = actedAt[\s\S]*?< DOUBLE_CLICK_MS;/, 'return false;'],
      [REPORTER, /if \(!once\(\[.*/, ''],
      [REPORTER, /const actedAt = .*/, ''],
      [REPORTER, /if \(once\(suffix\)\)/, ''],
    ],
  },
  {
    behaviour: 'Session: events for products, tiles and the footer',
    lost: 'The report shows offers only.',
    cuts: [
      [REPORTER, /if \(action\.type === 'footer'\) \{[\s\S]*?\n {4}\}/, ''],
      [REPORTER, /if \(asset && initiating[\s\S]*?asset_id = asset\.id;/, ''],
      [REPORTER, /if \(asset\) return send.*/, ''],
      [REPORTER, /product: \[.*/, ''],
      [REPORTER, /asset && type === 'accept' \? .*? : target/, 'target'],
      [REPORTER, /\.\.\.\(asset && .*/, ''],
    ],
  },
  {
    behaviour: 'Session: explain()',
    lost: 'Nobody can see why there are no offers.',
    cuts: [
      [
        'session/openTrace.ts',
        /function explain\(\)[\s\S]*?\n {2}\}\n/,
        'function explain() { return { answered: trace.answered }; }',
      ],
    ],
  },
  {
    behaviour: 'Session: a time limit and a size limit of 1 MiB for the response',
    lost: 'A hostile response fills the memory of the page.',
    cuts: [
      [REQUEST, /json: parseJson\(await readCapped\(response\)\)/, 'json: parseJson(await response.text())'],
      [REQUEST, /within\(RELAY_TIMEOUT_MS, read\(\)\)/, 'read()'],
      [REQUEST, /return error === LATE[\s\S]*?: outcome\(/, 'return outcome('],
    ],
  },
  {
    behaviour: 'Texts: what the relay or the network found wrong, field by field',
    lost: 'A merchant sees "status 422" and no reason.',
    cuts: [
      [REQUEST, /const errors = readErrors[\s\S]*?join\(', '\);/, ''],
      [REQUEST, /\(\$\{reason\}\)/, ''],
      [REQUEST, /fields\s*\? `Correct.*`\s*: /, ''],
      [REQUEST, /return errors\[0\] \? .*/, 'return failed;'],
    ],
  },
  {
    behaviour: 'Texts: which option is wrong, and what to write',
    lost: '`invalid_config` without the name of the option.',
    cuts: [
      [
        OPTIONS,
        /if \(!relay\) return invalid[\s\S]*?return \{ relay, view, mode \};/,
        "return relay && view && mode ? { relay, view, mode } : invalid('', '');",
      ],
      [OPTIONS, /const (given|\[name = ''\]|shopper|most) = .*/g, ''],
    ],
  },
  {
    behaviour: 'Texts: the other hints, such as "Check that the relay is up …"',
    lost: 'An outcome says what happened, and not what to do.',
    cuts: [
      [REQUEST, /'[A-Z][^'\n]{15,}\.'/g, "''"],
      [OBTAIN, /'[A-Z][^'\n]{15,}\.'/g, "''"],
      ['session/findOffers.ts', /'[A-Z][^'\n]{15,}\.'/g, "''"],
      [LIFECYCLE, /'(Call|Please) [^']*'/g, "''"],
    ],
  },
  {
    behaviour: 'Session: a secret key in the options is noticed',
    lost: 'A merchant publishes the key that pays for offers.',
    cuts: [[OPTIONS, /if \(hasSecret\(options\)\) \{[\s\S]*?\n {2}\}/, '']],
  },
];
