/** Random numbers in [0, 1) that are the same for the same seed, because the history must be the same in every run. */
export function seededRandom(seed: string): () => number {
  let state = hash(seed);
  // mulberry32: one 32-bit word of state. Good enough for plausible data, but never for secrets.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random whole number with this mean (Poisson distribution, as for independent arrivals). */
export function arrivals(mean: number, random: () => number): number {
  if (mean <= 0) return 0;
  // Above 30 the normal distribution is close enough, and it needs two random numbers instead of thirty.
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** A random number of successes in this many trials with this chance each. */
export function successes(trials: number, chance: number, random: () => number): number {
  // The rarer of the two outcomes needs fewer random numbers.
  if (chance > 0.5) return trials - successes(trials, 1 - chance, random);
  return Math.min(trials, arrivals(trials * chance, random));
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

// FNV-1a.
function hash(text: string): number {
  let word = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
  return word;
}
