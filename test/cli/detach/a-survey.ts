import type {
  KnownMember,
  Surveyed,
  SurveyedCronJob,
  SurveyedJob,
  SurveyedPod,
} from '../../../cli/verbs/detach/surveyed.ts';
import { OWN_FINALIZER, OWN_MANAGER, PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { JobStatus, ObjectMeta, OwnerReference } from '../../../workflows/kubernetes/objects.ts';

export const COMPLETE: JobStatus = { conditions: [{ type: 'Complete', status: 'True' }] };

function surveyedMetadata(kind: string, name: string, fields: Partial<ObjectMeta> = {}): ObjectMeta {
  return {
    name,
    namespace: 'default',
    uid: `${kind}-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-03-01T12:00:00Z',
    ...fields,
  };
}

type JobFields = Partial<Omit<SurveyedJob, 'metadata'>> & { metadata?: Partial<ObjectMeta> };

/** A Job of ours; its uid is `job-<name>`. */
export function aSurveyedJob(
  name: string,
  { managedBy = OWN_MANAGER, ...fields }: JobFields = {},
): SurveyedJob {
  const writes = { ours: '', others: '' };
  return {
    managedBy,
    writes,
    home: null,
    ...fields,
    metadata: surveyedMetadata('job', name, fields.metadata),
  };
}

/** A placed Job; its uid is `job-<name>`. */
export function aSurveyedPlacedJob(
  name: string,
  { finalizers = [], ...fields }: JobFields & { finalizers?: string[] } = {},
): SurveyedJob {
  return aSurveyedJob(name, { managedBy: PLACEMENT_MANAGER, ...fields, metadata: { finalizers } });
}

/** The Job `job-<name>` of a cluster, which a recorded outcome calls a member of the placed Job `<home>`. */
export function aKnownMember(place: string, name: string, home = 'east/default/pi'): KnownMember {
  const [cluster = '', namespace = '', of = ''] = home.split('/');
  return {
    cluster: place,
    namespace,
    name,
    uid: `job-${name}`,
    home: { cluster, namespace, name: of, uid: `job-${of}` },
  };
}

export function ofJob(name: string, fields: Partial<OwnerReference> = {}): OwnerReference[] {
  return [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: `job-${name}`, controller: true, ...fields }];
}

/** A running pod of the Job `pi`, with our finalizer. */
export function aSurveyedPod(
  name: string,
  metadata: Partial<ObjectMeta> = {},
  phase: string | undefined = 'Running',
): SurveyedPod {
  const fields = { ownerReferences: ofJob('pi'), finalizers: [OWN_FINALIZER], ...metadata };
  return { metadata: surveyedMetadata('pod', name, fields), phase };
}

/** A CronJob whose Jobs name us. */
export function aSurveyedCronJob(name: string, fields: Partial<SurveyedCronJob> = {}): SurveyedCronJob {
  return { managedBy: OWN_MANAGER, suspended: false, ...fields, metadata: surveyedMetadata('cron', name) };
}

export function aSurvey(fields: Partial<Surveyed>): Surveyed {
  return { cluster: 'east', pods: [], jobs: [], cronJobs: [], members: [], ...fields };
}
