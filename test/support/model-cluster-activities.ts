import type { CreationOutcome, PodOutcome } from '../../workflows/job/outcomes.ts';
import type { Command, CommandOf, PodRef, PodToCreate } from '../../workflows/job/commands.ts';
import { jobFacts, podFacts } from '../../workflows/job/observe/compact.ts';
import { isOwnCondition } from '../../workflows/job/definitions/conditions.ts';
import { canonicalJson } from '../../workflows/job/record/digest.ts';
import { matchesSelector } from '../../workflows/job/definitions/selector.ts';
import type { Job, JobStatus, Pod } from '../../workflows/kubernetes/objects.ts';
import type { OutcomeOf, AnyOutcome } from '../../services/worker/activities/outcome-of.ts';
import { newPod } from '../../services/worker/activities/new-pod.ts';
import { mergedConditions } from '../../services/worker/activities/write-status.ts';
import { OWN_FINALIZER, RESERVED_FINALIZER } from '../../workflows/kubernetes/names.ts';
import {
  createPod,
  deletePod,
  getJob,
  getPod,
  listPods,
  patchJobSpec,
  patchPod,
  putStatus,
  removeJob,
  timeAt,
  type ModelApi,
} from './model-cluster-api.ts';

/** Answers one command as services/worker/activities do, from the model of the API server. */
export function answerTo(api: ModelApi, jobUid: string, command: Command): AnyOutcome {
  return api.instead(command) ?? carriedOut(api, jobUid, command);
}

function carriedOut(api: ModelApi, jobUid: string, command: Command): AnyOutcome {
  switch (command.kind) {
    case 'CreatePods':
      return createPods(api, jobUid, command);
    case 'DeletePods':
      return {
        kind: 'DeletePods',
        untrack: command.untrack,
        pods: command.pods.map((pod) => (command.untrack ? untrackAndDelete(api, pod) : remove(api, pod))),
      };
    case 'ReleasePods':
      return { kind: 'ReleasePods', pods: command.pods.map((pod) => release(api, pod)) };
    case 'AdoptPods':
      return adoptPods(api, jobUid, command);
    case 'DisownPods':
      return { kind: 'DisownPods', pods: command.pods.map((pod) => disown(api, jobUid, pod)) };
    case 'WriteStatus':
      return writeStatus(api, jobUid, command);
    case 'EmitEvents':
      return { kind: 'EmitEvents' };
    case 'SetSuspend':
      return setSuspend(api, command);
    case 'RefuseRequest':
      return { kind: 'RefuseRequest', request: command.request };
    case 'LookUpJob': {
      const job = readJob(api, jobUid);
      return { kind: 'LookUpJob', job: job === null ? null : jobFacts(job) };
    }
    case 'LookUpPods':
      return { kind: 'LookUpPods', pods: command.pods.map((pod) => lookUp(api, pod)) };
    case 'DeleteJob':
      removeJob(api);
      return { kind: 'DeleteJob', result: 'gone' };
    case 'LookUpOrphans':
      return lookUpOrphans(api, command);
  }
}

/** Whether the rest of a decision is not sent (carry-out.ts). */
export function hasFailed(answer: AnyOutcome): boolean {
  if ('jobGone' in answer) return true;
  if ('result' in answer && answer.result !== 'written' && answer.result !== 'done') return true;
  if (answer.kind === 'LookUpPods' || !('pods' in answer)) return false;
  return answer.pods.some(({ result }) => result === 'failed' || result === 'taken' || result === 'skipped');
}

function readJob(api: ModelApi, uid: string): Job | null {
  const reply = getJob(api);
  return 'ok' in reply && reply.ok.metadata.uid === uid ? reply.ok : null;
}

function createPods(api: ModelApi, uid: string, command: CommandOf<'CreatePods'>): OutcomeOf<'CreatePods'> {
  const job = readJob(api, uid);
  if (job === null)
    return { kind: 'CreatePods', generation: 0, pods: command.pods.map(skipped), jobGone: true };
  const pods: CreationOutcome[] = [];
  for (let size = 1, failed = false; pods.length < command.pods.length; size *= 2) {
    const batch = command.pods.slice(pods.length, pods.length + size);
    const answers: CreationOutcome[] = failed
      ? batch.map(skipped)
      : batch.map((wish) => create(api, job, wish, command.finalizer));
    failed ||= answers.some(({ result }) => result === 'failed');
    pods.push(...answers);
  }
  return { kind: 'CreatePods', generation: job.metadata.generation ?? 1, pods };
}

function skipped({ ordinal, name }: PodToCreate): CreationOutcome {
  return { ordinal, name, result: 'skipped' };
}

function create(api: ModelApi, job: Job, wish: PodToCreate, finalizer: string): CreationOutcome {
  const { ordinal, name } = wish;
  if (job.metadata.deletionTimestamp !== undefined)
    return {
      ordinal,
      name,
      result: 'failed',
      error: { status: 409, reason: 'JobDeleting', message: 'deleting' },
    };
  const reply = createPod(api, storedPod(api, newPod(job, wish, finalizer)));
  if ('ok' in reply) {
    const { uid, resourceVersion } = reply.ok.metadata;
    return { ordinal, name, result: 'created', uid, resourceVersion };
  }
  return reply.failed.status === 409
    ? existing(api, job, wish)
    : { ordinal, name, result: 'failed', error: reply.failed };
}

function storedPod(api: ModelApi, body: ReturnType<typeof newPod>): Pod {
  const { name = '', namespace = '' } = body.metadata;
  return {
    ...body,
    metadata: {
      ...body.metadata,
      name,
      namespace,
      uid: `uid-${api.created.length}`,
      resourceVersion: '',
      creationTimestamp: timeAt(api.now),
    },
    status: { phase: 'Pending' },
  };
}

function existing(api: ModelApi, job: Job, { ordinal, name }: PodToCreate): CreationOutcome {
  const reply = getPod(api, name);
  const facts = 'ok' in reply ? podFacts(reply.ok) : null;
  const isWanted =
    facts?.controller === job.metadata.uid && facts.tracked === true && facts.deleting !== true;
  if (facts === null || !isWanted) return { ordinal, name, result: 'taken' };
  const { uid, resourceVersion } = facts;
  return { ordinal, name, result: 'created', uid, resourceVersion, pod: facts };
}

function patched(
  api: ModelApi,
  { name, uid }: PodRef,
  change: (metadata: Pod['metadata']) => Pod['metadata'],
): PodOutcome {
  const reply = patchPod(api, name, uid, change);
  if ('ok' in reply) return { uid, name, result: 'done', resourceVersion: reply.ok.metadata.resourceVersion };
  if ([404, 409, 422].includes(reply.failed.status)) return { uid, name, result: 'gone' };
  return { uid, name, result: 'failed', error: reply.failed };
}

function release(api: ModelApi, pod: PodRef): PodOutcome {
  return patched(api, pod, withoutFinalizers);
}

function withoutFinalizers(metadata: Pod['metadata']): Pod['metadata'] {
  const kept = (metadata.finalizers ?? []).filter(
    (name) => name !== OWN_FINALIZER && name !== RESERVED_FINALIZER,
  );
  return { ...metadata, finalizers: kept };
}

function remove(api: ModelApi, { uid, name }: PodRef): PodOutcome {
  const reply = deletePod(api, name, uid);
  if ('ok' in reply) return { uid, name, result: 'done', resourceVersion: reply.ok.metadata.resourceVersion };
  if (reply.failed.status === 404 || reply.failed.status === 409) return { uid, name, result: 'gone' };
  return { uid, name, result: 'failed', error: reply.failed };
}

function untrackAndDelete(api: ModelApi, pod: PodRef): PodOutcome {
  const released = release(api, pod);
  return released.result === 'done' ? remove(api, pod) : released;
}

function adoptPods(api: ModelApi, uid: string, command: CommandOf<'AdoptPods'>): OutcomeOf<'AdoptPods'> {
  const job = readJob(api, uid);
  if (job === null || job.metadata.deletionTimestamp !== undefined) {
    const error = { status: 409, reason: 'JobDeleting', message: 'the Job is gone or being deleted' };
    return { kind: 'AdoptPods', pods: command.pods.map((pod) => ({ ...pod, result: 'failed', error })) };
  }
  const owner = newPod(job, { ordinal: 0, name: '' }, command.finalizer).metadata.ownerReferences ?? [];
  const adopted = (metadata: Pod['metadata']): Pod['metadata'] => ({
    ...metadata,
    ownerReferences: owner,
    finalizers: [...new Set([...(metadata.finalizers ?? []), command.finalizer])],
  });
  return { kind: 'AdoptPods', pods: command.pods.map((pod) => patched(api, pod, adopted)) };
}

function disown(api: ModelApi, jobUid: string, pod: PodRef): PodOutcome {
  return patched(api, pod, (metadata) => ({
    ...withoutFinalizers(metadata),
    ownerReferences: (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== jobUid),
  }));
}

const WRITES = 5;

function writeStatus(
  api: ModelApi,
  uid: string,
  { from, to }: CommandOf<'WriteStatus'>,
): OutcomeOf<'WriteStatus'> {
  let live = readJob(api, uid);
  for (let attempt = 0; attempt < WRITES && live !== null; attempt += 1) {
    if (isSame(live.status, to)) return written(live);
    if (!isSame(live.status, from)) break;
    const conditions = mergedConditions(live.status?.conditions ?? [], to.conditions ?? []);
    const status = { ...to, ...(conditions.length > 0 && { conditions }) };
    const reply = putStatus(api, live.metadata.resourceVersion, status);
    if ('ok' in reply) return written(reply.ok);
    if (reply.failed.status === 404) return { kind: 'WriteStatus', result: 'gone' };
    if (reply.failed.status !== 409) return { kind: 'WriteStatus', result: 'failed', error: reply.failed };
    live = readJob(api, uid);
  }
  return live === null
    ? { kind: 'WriteStatus', result: 'gone' }
    : { kind: 'WriteStatus', result: 'conflict', job: jobFacts(live) };
}

function written(job: Job): OutcomeOf<'WriteStatus'> {
  return { kind: 'WriteStatus', result: 'written', job: jobFacts(job) };
}

function isSame(a: JobStatus | undefined, b: JobStatus): boolean {
  return canonicalJson(ownPart(a ?? {})) === canonicalJson(ownPart(b));
}

function ownPart({ conditions = [], uncountedTerminatedPods, ...rest }: JobStatus): unknown {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return { ...rest, conditions: conditions.filter(isOwnCondition), uncounted: { succeeded, failed } };
}

function setSuspend(api: ModelApi, { suspend, request }: CommandOf<'SetSuspend'>): OutcomeOf<'SetSuspend'> {
  const reply = patchJobSpec(api, { suspend });
  if ('ok' in reply) return { kind: 'SetSuspend', result: 'done', request, job: jobFacts(reply.ok) };
  if (reply.failed.status === 404 || reply.failed.status === 409)
    return { kind: 'SetSuspend', result: 'gone', request };
  return { kind: 'SetSuspend', result: 'failed', request, error: reply.failed };
}

function lookUp(api: ModelApi, { uid, name }: PodRef): OutcomeOf<'LookUpPods'>['pods'][number] {
  const reply = getPod(api, name);
  const pod = 'ok' in reply && reply.ok.metadata.uid === uid ? podFacts(reply.ok) : null;
  return { uid, name, pod };
}

function lookUpOrphans(api: ModelApi, { selector }: CommandOf<'LookUpOrphans'>): OutcomeOf<'LookUpOrphans'> {
  const reply = listPods(api);
  if (!('ok' in reply)) return { kind: 'LookUpOrphans', result: 'failed', error: reply.failed };
  const orphans = reply.ok.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.ownerReferences?.some(({ controller }) => controller === true) !== true &&
      matchesSelector(selector, metadata.labels ?? {}),
  );
  return { kind: 'LookUpOrphans', result: 'done', orphans: orphans.map(podFacts), more: false };
}
