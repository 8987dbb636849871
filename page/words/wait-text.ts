/** Beginnings of things that a Job can wait for; other texts are states, such as `0 of 12 nodes fit`. */
const THING = /^(?:its|the|a|an|one|another|that|Jobs?) /;

/** The reason why a Job waits, as the API states it, as a phrase after the name of the Job. */
export function waitPhrase(waits: string): string {
  if (waits.startsWith('to ')) return `waits ${waits}`;
  return THING.test(waits) ? `waits for ${waits}` : waits;
}
