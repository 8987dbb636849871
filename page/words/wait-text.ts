/** Beginnings of what can be waited for; other texts are states of things, such as `0 of 12 nodes fit`. */
const THING = /^(?:its|the|a|an|one|another|that|Jobs?) /;

/** What a Job waits for, as the API says it, as a phrase after its name. */
export function waitPhrase(waits: string): string {
  if (waits.startsWith('to ')) return `waits ${waits}`;
  return THING.test(waits) ? `waits for ${waits}` : waits;
}
