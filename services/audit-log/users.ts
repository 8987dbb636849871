import type { AuditRecord } from './audit-record.ts';

/** The namespace of the shipped manifests, and the part of the services' names. */
const OWN_PREFIX = 'system:serviceaccount:jobledger:jobledger';

/** The users of Jobledger's services in an installation with the unchanged shipped manifests. */
export const DEFAULT_OWN_USERS: readonly string[] = [
  '',
  'ingester',
  'dispatcher',
  'worker',
  'projector',
  'api',
].map((service) => (service === '' ? OWN_PREFIX : `${OWN_PREFIX}-${service}`));

const CONTROLLER_PREFIX = 'system:serviceaccount:kube-system:';
const GARBAGE_COLLECTOR = 'generic-garbage-collector';

/**
 * Controllers of Kubernetes that write Jobs and pods, and whose other requests only carry out what objects already
 * specify.
 */
const CONTROLLERS: ReadonlySet<string> = new Set(
  [
    'job-controller',
    'cronjob-controller',
    'ttl-after-finished-controller',
    GARBAGE_COLLECTOR,
    'namespace-controller',
    'node-controller',
    'pod-garbage-collector',
    'taint-eviction-controller',
    'resource-claim-controller',
    'disruption-controller',
  ]
    .map((name) => CONTROLLER_PREFIX + name)
    .concat('system:kube-scheduler', 'system:kube-controller-manager'),
);

const NODE = /^system:node:/;

/**
 * True when a request is recorded. Requests of Jobledger's services are not recorded, because the ledger contains them
 * as commands and outcomes. Requests of nodes, which carry out deletions, are not recorded either. For Kubernetes' own
 * controllers, only creations of Jobs and deletions are recorded. An impersonated user never counts as a service, node
 * or controller.
 */
export function isRecordedRequest(
  { user: { username }, impersonatedUser, verb, objectRef }: AuditRecord,
  ownUsers: ReadonlySet<string>,
): boolean {
  if (impersonatedUser !== undefined && impersonatedUser !== null) return true;
  if (ownUsers.has(username) || NODE.test(username)) return false;
  if (!CONTROLLERS.has(username)) return true;
  return (
    verb === 'delete' || verb === 'deletecollection' || (verb === 'create' && objectRef?.resource === 'jobs')
  );
}

/**
 * True when the garbage collector sent the request. Controllers that share the account of their manager name
 * themselves at the end of the user agent; no other program uses that account.
 */
export function isGarbageCollector({
  user: { username },
  impersonatedUser,
  userAgent,
}: AuditRecord): boolean {
  if (impersonatedUser !== undefined && impersonatedUser !== null) return false;
  if (username === CONTROLLER_PREFIX + GARBAGE_COLLECTOR) return true;
  return (
    username === 'system:kube-controller-manager' && userAgent?.endsWith(`/${GARBAGE_COLLECTOR}`) === true
  );
}
