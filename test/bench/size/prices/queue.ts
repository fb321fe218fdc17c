import type { Price } from './price.ts';

const SENDER = 'queue/sending/openSender.ts';
const ROWS = 'queue/rows/openRows.ts';

/** What the queue costs. */
export const QUEUE_PRICES: readonly Price[] = [
  {
    behaviour: 'Queue: results for each event of a batch (207, 502)',
    lost: 'One refused event sends its whole batch again, or drops it.',
    cuts: [
      [
        'queue/sending/settle.ts',
        /const isWhole =[\s\S]*/,
        "const fate = status === 201 || status === 202 ? 'delivered' : 'queued'; return { fates: Array(sent).fill([fate]), next: fate === 'queued' ? 'wait' : 'go' }; }",
      ],
    ],
  },
  {
    behaviour: 'Queue: an event that makes the server fail waits behind the others',
    lost: 'One bad event blocks all others while it fails with a 5xx.',
    cuts: [
      ['queue/sending/takeBatch.ts', /return \(failures\?.*/, 'return false;'],
      ['queue/sending/takeBatch.ts', /if \(others\[0\]\) return/, 'return'],
      ['queue/sending/takeBatch.ts', /const after = [\s\S]*?return after;/, 'return before;'],
      [SENDER, /if \(backoff\?\.failures\) .*/, ''],
      [SENDER, /Object\.keys\(backoff\?\.failures \?\? \{\}\)\.length/, '0'],
      ['queue/sending/settle.ts', /const all: .*/, 'const all = {};'],
      ['queue/sending/settle.ts', /const failures: .*/, 'const failures = {};'],
      ['queue/sending/settle.ts', /const isSuspects = .*/, 'const isSuspects = false;'],
    ],
  },
  {
    behaviour: 'Queue: a batch that is refused whole is split (400, 413, 422)',
    lost: 'Twenty events are sent again for ever because of one.',
    cuts: [
      [SENDER, /if \(next === 'split'\).*/, ''],
      [SENDER, /\.slice\(0, sizes\.shift\(\)\)/, ''],
      [SENDER, /let sizes: number\[\] = \[\];/, ''],
      ['queue/sending/settle.ts', /isWhole \? \(sent > 1 \? 'split' : 'go'\) : /, ''],
    ],
  },
  {
    behaviour: 'Queue: Retry-After',
    lost: 'Pages come back sooner than an overloaded server asks for.',
    cuts: [
      ['queue/sending/backoff.ts', /const asked = .*/, ''],
      ['queue/sending/backoff.ts', /\(asked \? .* : FAILURE_PAUSE_MS\)/, 'FAILURE_PAUSE_MS'],
      ['queue/sending/sendBatch.ts', /retryAfter: response.*?\), /, ''],
    ],
  },
  {
    behaviour: 'Queue: delivery as the page closes',
    lost: 'What was seen in the last moments waits for the next visit, which may never come.',
    cuts: [[SENDER, /const rest = \[\.\.\.known\][\s\S]*?deliver\(rest.*/, '']],
  },
  {
    behaviour: 'Queue: keepalive requests within the 64 KB that a page has',
    lost: 'Requests fail once other scripts have used up keepalive.',
    cuts: [
      [SENDER, /const keepalive = .*/, 'const keepalive = true;'],
      [SENDER, /if \(keepalive\) keepaliveRoom .*/g, ''],
      [SENDER, /avoidsKeepalive = keepalive.*/, ''],
      [SENDER, /const bytes = .*/, ''],
      [SENDER, /let keepaliveRoom = .*/, ''],
      [SENDER, /let avoidsKeepalive = .*/, ''],
    ],
  },
  {
    behaviour: 'Queue: one tab sends at a time without Web Locks, too',
    lost: 'On http pages each tab sends everything; only the relay removes the duplicates.',
    cuts: [['queue/sending/openSender.ts', /const isTaken = await run[\s\S]*?return result;/, 'return work();']],
  },
  {
    behaviour: 'Queue: reports what the browser has lost',
    lost: 'Events that Chromium leaves out of a damaged store are missing without a word.',
    cuts: [['queue/rows/openRows.ts', /try \{[\s\S]*?\} catch \{[\s\S]*?\n  \}/, 'return 0;']],
  },
  {
    behaviour: 'Queue: flat cost of an event in a full queue',
    lost: '10,000 events with the server down take about a minute instead of seconds.',
    cuts: [
      ['queue/rows/openCap.ts', /const count = added.length;/, ''],
      ['queue/rows/openCap.ts', /if \(\s*count &&[\s\S]*?\];/, ''],
      ['queue/rows/openCap.ts', /next = .*;/g, ''],
      ['queue/rows/openCap.ts', /let next: .*/, ''],
    ],
  },
  {
    behaviour: 'Queue: events expire after 7 days, dead letters after the 50th',
    lost: 'Storage fills with what nobody accepts any more.',
    cuts: [
      ['queue/rows/openCap.ts', /const isOld = .*/, ''],
      ['queue/rows/openCap.ts', /const isDead = .*/, ''],
      ['queue/rows/openCap.ts', /if \(!isDead && (.*)\) return false;/, 'return !($1);'],
      ['queue/rows/openCap.ts', /const age = [\s\S]*?return !isOld && !isDead;/, ''],
      ['queue/rows/openCap.ts', /\['expired', expired\],/, ''],
      ['queue/rows/openCap.ts', /\['dead_letters_full'.*/, ''],
      ['queue/rows/openCap.ts', /const (expired|dead): .*/g, ''],
    ],
  },
  {
    behaviour: 'Queue: goes on in memory when IndexedDB fails or hangs',
    lost: 'Private windows and full disks deliver nothing.',
    cuts: [
      ['queue/rows/openDatabase.ts', /await \(isPatient \? result : within\(HANGING_MS, result\)\)/, 'await result'],
      ['queue/rows/openDatabase.ts', /if \(!isBroken\) listener[\s\S]*?return undefined;/, 'return undefined;'],
      ['queue/rows/openDatabase.ts', /function back\(\)[\s\S]*?\n {2}\}\n/, 'function back(): void {}'],
      [ROWS, /onBroken\(error\) \{[\s\S]*?\n {4}\},/, ''],
      [ROWS, /onBack\(\) \{[\s\S]*?\n {4}\},/, ''],
      [ROWS, /if \(!found\) \{[\s\S]*?\n {6}\}/, ''],
      ['queue/rows/openNotes.ts', /restore\(\) \{[\s\S]*?\n {4}\},\n/, 'restore() {},'],
    ],
  },
  {
    behaviour: 'Queue: a database that the browser has closed or deleted is opened again',
    lost: 'After "clear site data" an open page delivers nothing.',
    cuts: [
      ['queue/rows/openDatabase.ts', /if \(!isAgain[\s\S]*?return run\(mode, work, isPatient, true\);\s*\}/, ''],
      ['queue/rows/openDatabase.ts', /db\.onclose = [\s\S]*?lastRead = read.then\(back, back\);\s*\};/, ''],
      ['queue/rows/openDatabase.ts', /if \(lastRead\) await lastRead;/, ''],
    ],
  },
  {
    behaviour: 'Queue: consent that was withdrawn elsewhere stops every tab',
    lost: 'A tab that slept through the withdrawal stores and sends again.',
    cuts: [
      [ROWS, /if \(given && stored !== given\) withdrawn\(\);/, ''],
      [ROWS, /const id = stored \?\?[\s\S]*?consent = id\)\);/, ''],
      [ROWS, /if \(hasMoves \|\| !given\) \{[\s\S]*?\n {6}\}/, 'if (hasMoves) await Promise.all(requests.map(done));'],
    ],
  },
  {
    behaviour: 'Queue: a withdrawal empties every queue of the origin',
    lost: 'Events stay on the device after the shopper said no.',
    cuts: [
      [
        'queue/withdrawal.ts',
        /const channel = openChannel\(\);\s*\/\/ oxlint[\s\S]*?\n\}\n\nasync function empty/,
        '}\nasync function empty',
      ],
    ],
  },
];
