import { REDACTED } from '../../../services/adapters/events/redacted.ts';
import type { JobView, PodView } from '../../../services/read-model/views/jobs.ts';
import { indexOfName } from '../../../workflows/job/definitions/pod-names.ts';
import { spanBetween } from '../../print/spans.ts';
import { table } from '../../print/table.ts';
import type { MemberView } from '../../sources/pods-of-job.ts';

/** The title of a table of pods: a placed Job has no pods itself, but its members have. */
export function podsTitle(member: MemberView | null): string {
  return member === null ? 'Pods' : `Pods of ${member.member_name} in ${member.placed_in}`;
}

/** A table of the pods of a Job, or of its member; null without any pod. */
export function podTable(
  pods: readonly PodView[],
  placed: JobView,
  member: MemberView | null,
): string | null {
  if (pods.length === 0) return null;
  const job = memberOr(placed, member);
  const indexed = pods.some((pod) => pod.completion_index !== null);
  const restarted = pods.some((pod) => pod.restarts > 0);
  const waits = pods.some((pod) => waitTextOf(pod) !== '');
  return table(
    [
      ...(indexed ? ['INDEX'] : []),
      'NAME',
      'PHASE',
      'NODE',
      'CREATED',
      'LASTED',
      ...(restarted ? ['RESTARTS'] : []),
      'WHY CREATED',
      ...(waits ? ['WAITS FOR'] : []),
      'WHY ENDED',
    ],
    pods.map((pod) => [
      ...(indexed ? [indexCell(job, pod)] : []),
      pod.name,
      `${pod.phase ?? 'not seen yet'}${pod.deleted_at === null ? '' : ' (deleted)'}`,
      pod.node ?? '',
      pod.created_at ?? '',
      spanBetween(pod.created_at, pod.finished_at ?? pod.deleted_at) ?? '',
      ...(restarted ? [pod.restarted ?? ''] : []),
      pod.creation_message === null ? 'not by Jobledger' : `${pod.creation_message} [${pod.creation_rule}]`,
      ...(waits ? [waitTextOf(pod)] : []),
      endText(pod),
    ]),
  );
}

/** The Job whose pods these are. */
function memberOr({ uid, name }: JobView, member: MemberView | null): { uid: string; name: string } {
  return member === null ? { uid, name } : { uid: member.member_uid, name: member.member_name };
}

/** The index in the annotation, and the index of the creation if another client has edited the annotation. */
function indexCell(job: { uid: string; name: string }, { name, completion_index: index }: PodView): string {
  const created = indexOfName(job, name);
  const isEdited = created !== undefined && created !== index;
  return isEdited ? `${index ?? 'none'}, created for ${created}` : String(index ?? '');
}

/** True for a pod that runs no more. */
export function hasEnded({ phase, deleted_at: deletedAt }: PodView): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || deletedAt !== null;
}

/** The reason why a pod that has not ended waits; empty when it does not wait. */
function waitTextOf(pod: PodView): string {
  return hasEnded(pod) || pod.end_message !== null ? '' : reasonText(pod);
}

function reasonText({ container, reason, message }: PodView): string {
  const shown = message === REDACTED ? null : message;
  return [container, reason, shown].filter((part) => part !== null).join(': ');
}

/** The reason why a pod ended. A pod that was deleted may have succeeded and be counted as failed. */
function endText(pod: PodView): string {
  const { end_message: why, phase, reason, container, counted_as: countedAs } = pod;
  const message = pod.message === REDACTED ? null : pod.message;
  if (why === null) return hasEnded(pod) ? reasonText(pod) : '';
  const detail = reason === 'StartError' && message !== null ? `: ${message}` : '';
  const isOther = phase === 'Succeeded' && countedAs === 'failed';
  const where = container !== null && why.startsWith('exit code ') ? `, in the ${container}` : '';
  return `${why}${where}${detail}${isOther ? ' after it was asked to stop; counted as failed' : ''}`;
}
