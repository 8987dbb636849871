import type { Arrival, Kind } from '../kind.ts';
import { isFinished } from '../batch/conditions.ts';
import { jobExpiry } from '../batch/expiry.ts';
import { PLACEMENT_MANAGER } from '../kubernetes/names.ts';
import * as core from './core.ts';
import type { PlacementFact } from './facts.ts';
import { placementUrgency } from './observe/urgency.ts';
import { PLACEMENT_STATE_FORMAT, placementStateFormat } from './record/state-format.ts';

/** The kind of placed Jobs, each with its members in the clusters that have or had a grant. */
export const PLACED_JOB: Kind = {
  name: 'PlacedJob',
  resource: 'jobs',
  workflow: 'placedJobWorkflow',
  prefix: 'placement',
  core,
  stateFormat: PLACEMENT_STATE_FORMAT,
  stateFormatBy: placementStateFormat,
  observed: (fact: PlacementFact) =>
    fact.type === 'job.observed'
      ? {
          managedBy: fact.job.spec.managedBy,
          expires: jobExpiry(fact.job) !== null,
          // The deletion of a placed Job waits for Jobledger, even after the end of the Job.
          isFinished: isFinished(fact.job.status) && !fact.job.deleting,
          isToStart: false,
        }
      : null,
  isOurs: (_settings, managedBy) => managedBy === PLACEMENT_MANAGER,
  concerns: ({ known, fact }: Arrival<PlacementFact>) => known !== undefined || fact.type === 'job.deleted',
  mayStart: ({ fact, known }: Arrival<PlacementFact>) => known !== undefined && fact.type !== 'job.deleted',
  isRecalledLater: ({ type }) => type === 'member.observed',
  objectIn(fact: PlacementFact) {
    switch (fact.type) {
      case 'job.observed':
      case 'job.deleted':
        return 'itself';
      case 'member.observed':
        return fact.member;
      case 'member.deleted':
        return fact;
      case 'request.received':
        return null;
    }
  },
  versionIn: (fact: PlacementFact) => (fact.type === 'job.observed' ? fact.job.resourceVersion : undefined),
  urgency: (previous: PlacementFact | undefined, next: PlacementFact) => placementUrgency(previous, next),
  onlySaysGone: () => false,
};
