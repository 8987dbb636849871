import type { ListedCluster } from '../api/rows.ts';
import { countText } from '../words/count-text.ts';
import { localInstant } from '../words/instants.ts';
import type { Advice } from './health.ts';

/** A text when placed Jobs cannot run in a cluster as usual, with the way to change that; null otherwise. */
export function placementAdvice({ name, availability, placed_count: placed }: ListedCluster): Advice | null {
  if (availability === null) return null;
  const { cordoned, lost, silent_since: silentSince } = availability;
  const left = placed === 0 ? 'No placed Job is there' : `${countText(placed, 'placed Job')} left there`;
  if (lost !== null)
    return {
      message: `Lost: ${lost.by} declared at ${localInstant(lost.at)} that nothing runs there any more. Its placed Jobs start elsewhere. If the cluster is back, declare it found:`,
      command: `jobledger clusters found ${name}`,
    };
  if (silentSince !== null)
    return {
      message: `Silent: its API server has not answered since ${localInstant(silentSince)}. ${left}, and no new one is placed. Only if nothing runs there any more, declare the cluster lost, so that its placed Jobs start elsewhere:`,
      command: `jobledger clusters lost ${name}`,
    };
  if (cordoned === null) return null;
  const isDrained = cordoned.drain;
  return {
    message: `${isDrained ? 'Drained' : 'Cordoned'} by ${cordoned.by} at ${localInstant(cordoned.at)}: no new Job is placed there${isDrained ? ', and those that are there move away' : ''}. ${left}. To use it again:`,
    command: `jobledger clusters uncordon ${name}`,
  };
}
