import { z } from 'zod';
import type { Appender, Permit } from '../../adapters/kafka/append.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Refusals } from '../../adapters/kubernetes/refusals.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { AuditScope } from '../../audit-log/api-requests.ts';
import { encodeLiveRecord, type LiveRecord } from '../../live-topic/live-topic.ts';
import type { LiveSet } from '../live-set/live-set.ts';
import { mayBeNamed } from '../translate/jobs-of-pod.ts';
import { followAuditLog, type AuditLogDependencies } from './follow-audit-log.ts';
import type { LogPosition } from './read-lines.ts';

/** The audit log of a cluster, and how it is recorded. */
export type AuditLog = Pick<AuditScope, 'ownUsers' | 'recordedName'> &
  Pick<AuditLogDependencies, 'file' | 'budget' | 'count'>;

const POSITION = z.object({ inode: z.string(), offset: z.number(), start: z.string() });
const KEY = 'log';

/** Follows the audit log of a cluster while this ingester leads, from the position at which the last leader stopped. */
export function recordAuditLog(
  {
    scope: { cluster },
    appender,
    kafka,
    namespaces,
    refusals,
    log,
  }: {
    scope: { cluster: string };
    appender: Appender;
    kafka: KafkaConnection;
    namespaces: readonly string[];
    refusals: Refusals;
    log: Log;
  },
  {
    auditLog: { file, budget, count, ...names },
    live,
    records,
    permit,
    signal,
  }: {
    auditLog: AuditLog;
    live: LiveSet;
    records: readonly LiveRecord[];
    permit: Permit;
    signal: AbortSignal;
  },
): Promise<void> {
  return followAuditLog({
    scope: {
      cluster,
      ...names,
      namespaces,
      mayExist: ({ uid, namespace, name }) =>
        !live.cronjobs.has(uid) && mayBeNamed(live.jobs.get(uid), namespace, name),
    },
    file,
    budget,
    count,
    position: findPosition(cluster, records),
    async record(events, position) {
      await appender.append(events, permit);
      await appender.write(kafka.topics.live, [encodeLiveRecord(positionRecord(cluster, position))], permit);
    },
    onRefused: (reason) => refusals.note(cluster, 'audit log', reason),
    log,
    signal,
  });
}

function positionRecord(cluster: string, value: LogPosition): LiveRecord {
  return { cluster, kind: 'audit', key: KEY, value };
}

function findPosition(cluster: string, records: readonly LiveRecord[]): LogPosition | null {
  const found = records.find((each) => each.cluster === cluster && each.kind === 'audit' && each.key === KEY);
  return POSITION.safeParse(found?.value).data ?? null;
}
