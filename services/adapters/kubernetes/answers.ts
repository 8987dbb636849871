/**
 * The meaning of an unsuccessful answer of the API server for the request:
 *
 * - `absent`: the object of the request does not exist.
 * - `refused`: the server, or an admission webhook or policy, does not want this request. Other requests are not
 *   affected.
 * - `conflict`: the object is not as the request assumes, or its name is taken. Only another read of the object shows
 *   which case applies.
 * - `throttled`: the server is overloaded. The request had no effect, and may be repeated.
 * - `outage`: neither the object nor the effect of the request is known.
 */
export type Meaning = 'absent' | 'refused' | 'conflict' | 'throttled' | 'outage';

/** `details` of a Status: the object that the answer is about. */
export interface StatusDetails {
  group?: string;
  /** The resource, in plural. */
  kind?: string;
  name?: string;
}

/** The object that a request names in its path. */
export interface NamedObject {
  group: string;
  resource: string;
  name: string;
}

/** A `Status` of the API server, with the code of the response. */
export interface StatusAnswer {
  status: number;
  reason: string;
  message: string;
  causes: readonly string[];
  details?: StatusDetails | undefined;
}

/**
 * The meaning of a `Status` (docs/answers.md). `object` is the object of the request; null when the path names no
 * object; undefined in tests that do not know the object.
 */
export function answerMeaning(answer: StatusAnswer, object?: NamedObject | null): Meaning {
  const { status, message, causes } = answer;
  // Webhooks are checked first, because a webhook chooses code, reason and details freely.
  if (isDenial(message) || causes.includes('NamespaceTerminating')) return 'refused';
  switch (status) {
    case 404:
      return meaningOfNotFound(answer, object);
    case 409:
      return 'conflict';
    case 429:
      return 'throttled';
    case 408:
    case 410:
      return 'outage';
  }
  return status >= 400 && status <= 500 ? 'refused' : 'outage';
}

/**
 * Only the server itself names the object that it did not find: a 404 may also mean that it does not serve the
 * resource.
 */
function meaningOfNotFound(
  { reason, details }: StatusAnswer,
  object: NamedObject | null | undefined,
): Meaning {
  if (reason !== 'NotFound') return 'outage';
  if (object === undefined && details === undefined) return 'absent';
  if (object != null && details !== undefined && isSameObject(details, object)) return 'absent';
  return namesNamespace(details) ? 'refused' : 'outage';
}

function isSameObject({ group = '', kind = '', name }: StatusDetails, object: NamedObject): boolean {
  return name === object.name && kind === object.resource && group === object.group;
}

/** True when the answer says that the namespace of the object does not exist. */
export function namesNamespace(details: StatusDetails | undefined): boolean {
  return details?.kind === 'namespaces' && details.name !== undefined;
}

const WEBHOOK_DENIED = /\badmission webhook "[^"]*" denied the request\b/;
const POLICY = /\b(?:ValidatingAdmissionPolicy|MutatingAdmissionPolicy|policy) '[^']*'/;

/** True when the answer comes from an admission webhook or policy. */
function isDenial(message: string): boolean {
  if (WEBHOOK_DENIED.test(message)) return true;
  const policy = POLICY.exec(message);
  // Two expressions keep the time linear: a single expression would search the rest of the message again for each policy in it.
  return policy !== null && / denied request\b/.test(message.slice(policy.index + policy[0].length));
}

/** The object that a path names; null for a collection and for any other path. */
export function objectIn(path: string): NamedObject | null {
  const [route = ''] = path.split('?');
  const found = /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)\/(.+)$/.exec(route);
  if (found === null) return null;
  const [, group = '', rest = ''] = found;
  const parts = rest.split('/');
  // The paths of a namespace's objects begin with the path of the namespace, which is an object too.
  const [resource, name] = parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts;
  if (resource === undefined || name === undefined || name === '') return null;
  return { group, resource, name: decodeURIComponent(name) };
}
