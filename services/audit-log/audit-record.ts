import { z } from 'zod';

const user = z.object({ username: z.string() });

/** The fields that are read from a record of an audit log (`Event` of audit.k8s.io/v1). */
const AUDIT_RECORD = z.object({
  auditID: z.string(),
  stage: z.string(),
  requestURI: z.string(),
  verb: z.string(),
  user,
  impersonatedUser: user.nullish(),
  userAgent: z.string().nullish(),
  objectRef: z
    .object({
      apiGroup: z.string().nullish(),
      resource: z.string().nullish(),
      subresource: z.string().nullish(),
      namespace: z.string().nullish(),
    })
    .nullish(),
  responseStatus: z.object({ code: z.number().nullish() }).nullish(),
  requestObject: z.unknown(),
  responseObject: z.unknown(),
  requestReceivedTimestamp: z.iso.datetime({ offset: true }),
});
export type AuditRecord = z.infer<typeof AUDIT_RECORD>;

/** The record in a value; null for a value that is not a record of an audit log. */
export function auditRecordIn(value: unknown): AuditRecord | null {
  return AUDIT_RECORD.safeParse(value).data ?? null;
}
