import { plainNumbers } from '../../../workflows/ledger/plain-numbers.ts';
import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import type { MemberDeleted, MemberObserved } from '../../../workflows/placement/events.ts';
import { homeNamedBy, type HomeRef } from '../../../workflows/placement/member-job.ts';
import { markOf, memberFacts } from '../../../workflows/placement/observe/compact.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import type { LiveSet } from '../live-set/live-set.ts';
import { isUid } from '../../../workflows/kubernetes/uid.ts';
import { mayBeNamed } from './jobs-of-pod.ts';
import { redactJob } from '../redaction/redact.ts';
import { epochSuffix, epochField, type AnyTranslated, type TranslationScope } from './translate.ts';

/**
 * Adds a Job that names a placed Job as its home to the stream of the placed Job. Any user who may create Jobs can name
 * a placed Job, so the outcomes in the stream show which of these Jobs are members; a Job of another namespace is not
 * recorded. An unchanged member is not recorded either, because the outcome of its creation has the same content.
 */
export function addMemberObserved(
  scope: TranslationScope,
  live: LiveSet,
  job: Job,
  translated: AnyTranslated,
  time: string,
): AnyTranslated {
  // A member remains a member when another client removes its mark.
  const home = findHome(scope, live, job) ?? live.jobs.get(job.metadata.uid)?.home ?? null;
  const content = home === null ? null : redactJob(job, scope.redaction);
  if (home === null || content === null) return translated;
  const { cluster, epoch } = scope;
  const { uid, resourceVersion } = job.metadata;
  const changes = translated.changes.map((change) =>
    change.resource === 'jobs' && change.entry !== null
      ? { ...change, entry: { ...change.entry, home } }
      : change,
  );
  if (isAsCreated(job)) return { ...translated, changes };
  const event = withDigest<MemberObserved>({
    ...memberEnvelope(home, cluster, time),
    id: `${home.cluster}/${home.uid}/member/${cluster}/${uid}/${resourceVersion}${epochSuffix(scope)}`,
    type: 'member.observed',
    data: {
      ...homeStreamIds(home),
      member: memberFacts(cluster, content.object, epoch),
      ...markOf(content.object),
    },
  });
  return { events: [...translated.events, event], changes };
}

/**
 * Adds the deletion of a Job to the stream of the placed Job that it named. `job` is the last version of the Job, if
 * it was seen.
 */
export function addMemberDeleted(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  translated: AnyTranslated,
  at: { job?: Job; resourceVersion: string; time: string },
): AnyTranslated {
  const known = live.jobs.get(uid);
  const home = (at.job === undefined ? null : findHome(scope, live, at.job)) ?? known?.home ?? null;
  if (home === null) return translated;
  const { cluster } = scope;
  const name = at.job?.metadata.name ?? known?.name ?? '';
  const event = withDigest<MemberDeleted>({
    ...memberEnvelope(home, cluster, at.time),
    id: `${home.cluster}/${home.uid}/member/${cluster}/${uid}/${at.job === undefined ? 'gone' : at.resourceVersion}/deleted${epochSuffix(scope)}`,
    type: 'member.deleted',
    data: {
      ...homeStreamIds(home),
      member: { cluster, uid, name, resourceVersion: at.resourceVersion, ...epochField(scope) },
    },
  });
  return { ...translated, events: [...translated.events, event] };
}

/** True when no controller has written a status and no client has changed the spec. */
function isAsCreated({ metadata, status = {} }: Job): boolean {
  const { generation = 1, deletionTimestamp } = metadata;
  return (
    plainNumbers(generation) === 1 && deletionTimestamp === undefined && Object.keys(status).length === 0
  );
}

/** The placed Job that a Job names as its home; null without a valid home. */
function findHome({ cluster }: TranslationScope, live: LiveSet, { metadata }: Job): HomeRef | null {
  const home = homeNamedBy(metadata);
  const isShortEnough = (text: string): boolean => text.length <= LONGEST_NAME;
  if (
    home?.namespace !== metadata.namespace ||
    ![home.cluster, home.name].every(isShortEnough) ||
    !isUid(home.uid)
  )
    return null;
  return home.cluster !== cluster || mayBeHome(live, home) ? home : null;
}

const LONGEST_NAME = 253;

/** True when the named object of this cluster is a placed Job or is not known. */
function mayBeHome(live: LiveSet, { uid, namespace, name }: HomeRef): boolean {
  const known = live.jobs.get(uid);
  const isOther = known !== undefined && known.managedBy !== PLACEMENT_MANAGER;
  return !isOther && !live.cronjobs.has(uid) && mayBeNamed(known, namespace, name);
}

/** The fields that identify the stream of a placed Job. */
function homeStreamIds({ cluster, uid }: HomeRef): { cluster: string; jobUid: string; placedJobUid: string } {
  return { cluster, jobUid: uid, placedJobUid: uid };
}

function memberEnvelope(
  { namespace, name }: HomeRef,
  cluster: string,
  time: string,
): { source: string; subject: string; time: string } {
  return { source: cluster, subject: `${namespace}/${name}`, time };
}
