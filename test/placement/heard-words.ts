import type { ClusterWord } from '../../workflows/placement/settings.ts';

type Words = Readonly<Record<string, ClusterWord>>;

/** As the worker does (LOOK_MS of services/contracts/feature-level.ts). */
const READ_EVERY_MS = 5000;

/** What a worker that reads candidates has heard of the clusters: it reads what is said every five seconds, on its own clock. */
export function heardWords(said: () => Words, now: () => number): () => Words {
  let heard = { at: now(), words: said() };
  return () => {
    if (now() - heard.at >= READ_EVERY_MS) heard = { at: now(), words: said() };
    return heard.words;
  };
}
