import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { JobObserved } from '../../workflows/job/events.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { at, jobObject } from '../support/builders.ts';

/** What every member says of itself, and what anybody may write. */
const CLAIM = { 'jobledger.dev/placed-for': 'east/default/pi/home-uid' };

let versions = 5000;

/** A Job of the cluster west that says it runs the placed Job of `aPlacedJobStream`. */
export function claimantSeen(
  after: number,
  { name, uid, status }: { name: string; uid: string; status?: JobStatus },
): JobObserved {
  versions += 1;
  const version = String(versions);
  const object = jobObject({ name, uid, version, annotations: CLAIM, ...(status && { status }) });
  return withDigest<JobObserved>({
    id: `west/jobs/${uid}/${version}`,
    type: 'job.observed',
    source: 'west',
    subject: `default/${name}`,
    time: at(after),
    data: { cluster: 'west', jobUid: uid, object },
  });
}
