import type { ApiRequestAudited } from '../../../workflows/job/events.ts';
import type { ApiRequestRow } from '../../read-model/tables/api-requests.ts';
import { toTimestamp, versionNumber } from './instants.ts';
import { parseSubject } from './subjects.ts';

/** The row of an audited request. The row depends on no other event. */
export function apiRequestRow({ id, subject, time, data }: ApiRequestAudited): ApiRequestRow {
  const { namespace, name: jobName } = parseSubject(subject);
  return {
    cluster: data.cluster,
    job_uid: data.jobUid,
    namespace,
    job_name: jobName,
    resource: data.resource,
    uid: data.uid,
    name: data.name,
    verb: data.verb,
    by: data.by,
    impersonated_by: data.impersonatedBy ?? null,
    user_agent: data.userAgent ?? null,
    fields: data.fields ?? [],
    written_version: data.resourceVersion === undefined ? null : versionNumber(data.resourceVersion, {}),
    cascade: data.cascade ?? false,
    panicked: data.panicked ?? false,
    received_at: toTimestamp(data.receivedAt) ?? data.receivedAt,
    audit_id: data.auditId,
    event_id: id,
    recorded_at: toTimestamp(time) ?? time,
  };
}
