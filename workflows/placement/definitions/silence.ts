import { isoTime } from '../../job/definitions/instants.ts';

/** That a cluster does not answer, in words. `since`: milliseconds since the epoch. */
export function silenceWords(cluster: string, since: number): string {
  return `the cluster ${cluster} has not answered since ${isoTime(since)}`;
}
