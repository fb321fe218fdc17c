/** Random numbers in [0, 1) that are the same for the same seed text: history must not differ from run to run. */
export function seededRandom(seed: string): () => number {
  let state = hash(seed);
  // mulberry32: one 32-bit word of state, good enough for plausible noise, never for secrets.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number whose mean is `mean`, spread like independent arrivals are (Poisson). */
export function arrivals(mean: number, random: () => number): number {
  if (mean <= 0) return 0;
  // Above 30 the normal curve is indistinguishable, and it costs two draws instead of thirty.
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** About how many of `trials` succeed when each does with this chance: never more than there are. */
export function successes(trials: number, chance: number, random: () => number): number {
  // The rarer of the two outcomes is drawn: that costs few random numbers.
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
