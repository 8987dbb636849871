import type { ClusterAvailability } from '../../workflows/placement/settings.ts';

type Words = Readonly<Record<string, ClusterAvailability>>;

/** As the worker does (LOOK_MS of services/contracts/feature-level.ts). */
const READ_EVERY_MS = 5000;

/** The words that a worker has for its candidates: it reads what is said of the clusters every five seconds, on its own clock. */
export function heardText(said: () => Words, now: () => number): () => Words {
  let heard = { at: now(), words: said() };
  return () => {
    if (now() - heard.at >= READ_EVERY_MS) heard = { at: now(), words: said() };
    return heard.words;
  };
}
