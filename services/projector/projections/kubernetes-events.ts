import type { KubernetesEventObserved } from '../../../workflows/job/events.ts';
import type { KubernetesEventsDropped } from '../../../workflows/ledger/kubernetes-events.ts';
import type {
  DroppedKubernetesEventsRow,
  KubernetesEventRow,
} from '../../read-model/tables/kubernetes-events.ts';
import { toTimestamp } from './instants.ts';
import { parseSubject } from './subjects.ts';

/** The row of a Kubernetes Event. The row depends on no other event. */
export function kubernetesEventRow({ id, subject, time, data }: KubernetesEventObserved): KubernetesEventRow {
  const { namespace, name: jobName } = parseSubject(subject);
  const { regarding, related } = data;
  return {
    cluster: data.cluster,
    job_uid: data.jobUid,
    namespace,
    job_name: jobName,
    kind: regarding.kind,
    uid: regarding.uid,
    name: regarding.name,
    reason: data.reason,
    type: data.type,
    reported_by: data.reportedBy,
    note: data.note,
    related_kind: related?.kind ?? null,
    related_namespace: related?.namespace ?? null,
    related_name: related?.name ?? null,
    related_uid: related?.uid ?? null,
    count: data.count,
    first_at: toTimestamp(data.firstAt) ?? data.firstAt,
    last_at: toTimestamp(data.lastAt) ?? data.lastAt,
    is_last: data.isLast ?? false,
    event_id: id,
    recorded_at: toTimestamp(time) ?? time,
  };
}

/** The rows of dropped Kubernetes Events. Rows about all namespaces have the namespace `*`. */
export function droppedEventRows({ id, data }: KubernetesEventsDropped): DroppedKubernetesEventsRow[] {
  const { cluster, since, until, dropped, further, gap } = data;
  const missed = gap === undefined ? [] : [{ namespace: gap.namespace ?? '*', cause: 'gap', count: null }];
  const rest = further === undefined ? [] : [{ namespace: '*', cause: 'further', count: further }];
  return [...dropped, ...rest, ...missed].map(({ namespace, cause, count }) => ({
    cluster,
    event_id: id,
    namespace,
    cause,
    count,
    since: toTimestamp(since) ?? since,
    until: toTimestamp(until) ?? until,
  }));
}
