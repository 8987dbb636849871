import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { ApiRequestAudited, JobEvent } from '../../workflows/job/events.ts';

/** An audited request of ann that patches the Job of a stream. `receivedAt` is also when it was recorded. */
export function anAuditedRequest(
  { data, subject, source }: Pick<JobEvent, 'data' | 'subject' | 'source'>,
  members: Partial<ApiRequestAudited['data']> & { receivedAt: string },
): ApiRequestAudited {
  if (!('jobUid' in data)) throw new Error('not an event of a Job');
  const { cluster, jobUid } = data;
  const auditId = members.auditId ?? 'a1';
  return withDigest<ApiRequestAudited>({
    id: `${cluster}/api-request/${members.uid ?? jobUid}/${auditId}`,
    type: 'api-request.audited',
    source,
    subject,
    time: members.receivedAt,
    data: {
      cluster,
      jobUid,
      resource: 'jobs',
      uid: jobUid,
      name: 'pi',
      verb: 'patch',
      by: 'ann',
      auditId,
      ...members,
    },
  });
}
