/** The beginnings of waits that name an object; other waits are states, such as `0 of 12 nodes fit`. */
const THING = /^(?:its|the|a|an|one|another|that|Jobs?) /;

/** The wait of a Job, from the API, as a phrase that follows the name of the Job. */
export function waitPhrase(waits: string): string {
  if (waits.startsWith('to ')) return `waits ${waits}`;
  return THING.test(waits) ? `waits for ${waits}` : waits;
}
