import type { ListedCluster } from '../api/rows.ts';
import { countText } from '../components/count-text.ts';
import { localInstant } from '../components/instants.ts';
import type { Advice } from './health.ts';

/** Advice for a cluster that is lost, silent or cordoned; null for a cluster that takes placed Jobs. */
export function placementAdvice({ name, availability, placed_count: placed }: ListedCluster): Advice | null {
  if (availability === null) return null;
  const { cordoned, lost, silent_since: silentSince } = availability;
  const left =
    placed === 0
      ? 'No placed Job is in this cluster'
      : `${countText(placed, 'placed Job')} left in this cluster`;
  if (lost !== null)
    return {
      message: `Lost: ${lost.by} declared at ${localInstant(lost.at)} that nothing runs in this cluster. The placed Jobs of the cluster start in other clusters. If the cluster answers again, declare it found:`,
      command: `jobledger clusters found ${name}`,
    };
  if (silentSince !== null)
    return {
      message: `Silent: the API server of the cluster has not answered since ${localInstant(silentSince)}. ${left}, and no new Job is placed. If you are sure that nothing runs in the cluster, declare it lost, so that its placed Jobs start in other clusters:`,
      command: `jobledger clusters lost ${name}`,
    };
  if (cordoned === null) return null;
  const isDrained = cordoned.drain;
  return {
    message: `${isDrained ? 'Drained' : 'Cordoned'} by ${cordoned.by} at ${localInstant(cordoned.at)}: no new Job is placed in the cluster${isDrained ? ', and its placed Jobs move to other clusters' : ''}. ${left}. To use the cluster again, uncordon it:`,
    command: `jobledger clusters uncordon ${name}`,
  };
}
