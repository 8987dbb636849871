import type { ListedCluster } from '../api/rows.ts';
import { countText } from '../words/count-text.ts';
import { localInstant } from '../words/instants.ts';
import type { Advice } from './health.ts';

/** A text when placed Jobs cannot run in a cluster as usual, with the way to change that; null otherwise. */
export function placementAdvice({ name, availability, placed_count: placed }: ListedCluster): Advice | null {
  if (availability === null) return null;
  const { cordoned, lost, silent_since: silentSince } = availability;
  const left =
    placed === 0 ? 'No placed Job is in this cluster' : `${countText(placed, 'placed Job')} left there`;
  if (lost !== null)
    return {
      message: `Lost: ${lost.by} declared at ${localInstant(lost.at)} that nothing runs in this cluster any more. The placed Jobs of the cluster start elsewhere. If the cluster is back, declare it found:`,
      command: `jobledger clusters found ${name}`,
    };
  if (silentSince !== null)
    return {
      message: `Silent: the API server of the cluster has not answered since ${localInstant(silentSince)}. ${left}, and no new Job is placed. Only if nothing runs in the cluster any more, declare the cluster lost, so that the placed Jobs of the cluster start elsewhere:`,
      command: `jobledger clusters lost ${name}`,
    };
  if (cordoned === null) return null;
  const isDrained = cordoned.drain;
  return {
    message: `${isDrained ? 'Drained' : 'Cordoned'} by ${cordoned.by} at ${localInstant(cordoned.at)}: no new Job is placed in the cluster${isDrained ? ', and the placed Jobs in the cluster move away' : ''}. ${left}. To use the cluster again:`,
    command: `jobledger clusters uncordon ${name}`,
  };
}
