/**
 * Properties that only the script's own code reads and writes: the script build gives them short names. A name that is also
 * part of an option, an event, a request, a response, a stored row, the DOM or what the inspector uses must not be here;
 * test/package/internalNames.test.ts checks each.
 */
const NAMES =
  'acted allowLoopback backing clamp dismissal dismissed fates findAmong follow forgetOrders gatherMs ' +
  'ignoreInput ignoresInput isCard isClaimed isDecided isEager isFirst isLoaded isTitle isWanted keep ' +
  'limit mirror onBack onBroken onDeletion onDisconnect onDismissed onForeignWithdrawal onSeen ' +
  'onWithdrawn openQueue pass passed place placement present pulledDown pulledUp reached recall ' +
  'remember reopenQueue reporter sequence tapped whenCleared whenReady written';

/** The names, in alphabetical order. */
export const INTERNAL_NAMES: readonly string[] = NAMES.split(' ');

/** Matches Preact's private names: nothing else begins with an underscore and a letter. */
export const PREACT_NAME = /^_[a-z]/i;

/** Matches all of them. */
export const INTERNAL_NAME = new RegExp(`^(_[a-zA-Z].*|${INTERNAL_NAMES.join('|')})$`);
