import type { ListedCluster } from '../api/rows.ts';
import { countWords } from '../words/count-words.ts';
import { localInstant } from '../words/instants.ts';
import type { Advice } from './health.ts';

/** What is said of a cluster for placed Jobs, and how that is changed; null: Jobs are placed there as usual. */
export function placementAdvice({ name, said, placed }: ListedCluster): Advice | null {
  if (said === null) return null;
  const { cordoned, lost, silent_since: silentSince } = said;
  const left = placed === 0 ? 'No placed Job is there' : `${countWords(placed, 'placed Job')} left there`;
  if (lost !== null)
    return {
      words: `Lost: ${lost.by} said at ${localInstant(lost.at)} that nothing runs there any more. Its placed Jobs start elsewhere. If it is back, say so:`,
      command: `jobledger clusters found ${name}`,
    };
  if (silentSince !== null)
    return {
      words: `Silent: its API server has not answered since ${localInstant(silentSince)}. ${left}, and no new one is placed. Only if nothing runs there any more, say so, and they start elsewhere:`,
      command: `jobledger clusters lost ${name}`,
    };
  if (cordoned === null) return null;
  const isDrained = cordoned.drain;
  return {
    words: `${isDrained ? 'Drained' : 'Cordoned'} by ${cordoned.by} at ${localInstant(cordoned.at)}: no new Job is placed there${isDrained ? ', and those that are there move away' : ''}. ${left}. To use it again:`,
    command: `jobledger clusters uncordon ${name}`,
  };
}
