import type { ReplacedController } from '../../../services/adapters/config.ts';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import {
  InputError,
  KubernetesApiError,
  errorMessage,
  UnavailableError,
} from '../../../services/adapters/errors.ts';
import { namesNamespace } from '../../../services/adapters/kubernetes/answers.ts';
import { clusterFacts, clusterLimits } from '../../../services/adapters/kubernetes/cluster-facts.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { adviceFor, isRefusal } from '../../../services/adapters/kubernetes/refusals.ts';
import { OWN_NAMESPACE, rightsFor, type Right } from './rights.ts';

/** The checks of a cluster before Jobledger controls it. */
export interface Preflight {
  client: KubernetesClient;
  /** Address of the API server, safe to print. */
  server: string;
  /** The namespace of Jobledger's own objects. */
  namespace: string;
  /** The only namespaces to watch and change; an empty list means all namespaces. */
  namespaces: readonly string[];
  claim: Claim;
  controllers: readonly ReplacedController[];
  /** True when gang scheduling is on. */
  gangs: boolean;
  /** True when placed Jobs may use the cluster. */
  placement: boolean;
  signal: AbortSignal;
}

const ANSWER_MS = 5000;
const MANIFESTS =
  'kubectl apply -f infra/deploy/kubernetes/namespace.yaml -f infra/deploy/kubernetes/rbac.yaml';
const CHART = 'install the chart with these `namespaces` (docs/operate/install.md)';

/**
 * Lists the rights and features that a cluster lacks, with advice, one per line; the list is empty if nothing is missing. The checks do not change
 * the cluster.
 */
export async function whatIsMissing(preflight: Preflight): Promise<string[]> {
  try {
    const missing = await missingRights(preflight);
    const rights = missing.map(asText).join(', ');
    const advice = preflight.namespaces.length === 0 ? MANIFESTS : CHART;
    const mayLease = !missing.some(
      ({ right, verbs }) => right.resource === 'leases' && verbs.includes('create'),
    );
    return [
      ...(mayLease && (await lacksNamespace(preflight))
        ? [`the namespace ${preflight.namespace} is missing; ${advice}`]
        : []),
      ...(rights === '' ? [] : [`the account of Jobledger may not ${rights}; ${advice}`]),
      ...(await missingNamespaces(preflight)),
      ...(await neededLimits(preflight)),
    ];
  } catch (error) {
    if (preflight.signal.aborted) return [];
    return [failureText(preflight, error)];
  }
}

/** A line for each given namespace that does not exist; a namespace that cannot be checked counts as existing. */
export async function missingNamespaces(preflight: Preflight): Promise<string[]> {
  const all = await Promise.all(
    preflight.namespaces.map(async (name) => ((await isNamespaceMissing(preflight, name)) ? [name] : [])),
  );
  return all
    .flat()
    .map(
      (name) =>
        `the namespace ${name} of --namespaces does not exist: create it, or correct --namespaces (JOBLEDGER_NAMESPACES); until the namespace exists, Jobledger controls no Job in it`,
    );
}

/** True when the namespace is missing: the creation of an object then fails with 404, also for an account that may not read namespaces. */
async function isNamespaceMissing({ client, signal }: Preflight, namespace: string): Promise<boolean> {
  const body = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: 'jobledger-preflight-', namespace },
    involvedObject: { apiVersion: 'batch/v1', kind: 'Job', namespace },
  };
  const path = `/api/v1/namespaces/${namespace}/events?dryRun=All`;
  try {
    await client.request({ method: 'POST', path, body, signal, timeoutMs: ANSWER_MS });
    return false;
  } catch (error) {
    return isWithoutNamespace(error);
  }
}

/** True when the API server refused a request because its namespace does not exist. */
function isWithoutNamespace(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 404 && namesNamespace(error.details);
}

/** The limits of the cluster that affect this configuration. */
async function neededLimits({ client, claim, gangs, signal }: Preflight): Promise<string[]> {
  const facts = await clusterFacts(client, signal);
  const needed = [...(claim === 'managed' ? ['managedBy'] : []), ...(gangs ? ['gangs'] : [])];
  return clusterLimits(facts).flatMap(({ feature, message }) => (needed.includes(feature) ? [message] : []));
}

/** The message about a cluster that cannot be checked. */
function failureText({ server }: Preflight, error: unknown): string {
  if (isRefusal(error)) return `${server} refuses us (${errorMessage(error)}); ${adviceFor(error)}`;
  if (error instanceof UnavailableError && error.cause !== undefined)
    return `${server} does not answer (${errorMessage(error.cause)}); waiting for it`;
  if (error instanceof InputError) return error.message;
  return `${server} cannot be checked (${errorMessage(error)}); waiting for it`;
}

interface MissingRight {
  right: Right;
  verbs: string[];
  /** The namespace in which the right is missing; undefined for the whole cluster. */
  namespace: string | undefined;
}

/** The rights that the account of Jobledger needs and does not have. */
async function missingRights(preflight: Preflight): Promise<MissingRight[]> {
  const all = await Promise.all(
    rightsFor(preflight)
      .map(withActualNamespace(preflight))
      .flatMap((right) =>
        checkedNamespaces(preflight, right).map(async (namespace) => {
          const allowed = await Promise.all(
            right.verbs.map((verb) => isAllowed(preflight, right, verb, namespace)),
          );
          return { right, verbs: right.verbs.filter((_verb, at) => allowed[at] === false), namespace };
        }),
      ),
  );
  return all.filter(({ verbs }) => verbs.length > 0);
}

/** Returns a function that replaces the name of Jobledger's namespace in a right with its actual name. */
function withActualNamespace({ namespace }: Preflight): (right: Right) => Right {
  return (right) => (right.name === OWN_NAMESPACE ? { ...right, name: namespace } : right);
}

/** The namespace where a right is needed; undefined for the whole cluster. */
function checkedNamespaces({ namespace, namespaces }: Preflight, { own }: Right): (string | undefined)[] {
  if (own === true) return [namespace];
  return namespaces.length === 0 ? [undefined] : [...namespaces];
}

/** A missing right as text. */
function asText({ right, verbs, namespace }: MissingRight): string {
  return `${verbs.join('/')} ${rightName(right)}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** The resource of a right as text, such as `jobs/status.batch`. */
function rightName({ group, resource, subresource, name }: Right): string {
  const kind = `${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${kind}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
}

/** Asks the API server whether the account of Jobledger has a right. */
async function isAllowed(
  { client, signal }: Preflight,
  { group, resource, subresource, name }: Right,
  verb: string,
  namespace: string | undefined,
): Promise<boolean> {
  const review = await client.request<{ status?: { allowed?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb,
          group,
          resource,
          ...(subresource !== undefined && { subresource }),
          ...(name !== undefined && { name }),
          ...(namespace !== undefined && { namespace }),
        },
      },
    },
    signal,
    timeoutMs: ANSWER_MS,
  });
  return review.status?.allowed === true;
}

/**
 * True when Jobledger's namespace is missing. The account may not read namespaces, but the creation of an object in a missing namespace fails with
 * 404.
 */
async function lacksNamespace({ client, namespace, signal }: Preflight): Promise<boolean> {
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { generateName: 'jobledger-preflight-', namespace },
    spec: {},
  };
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?dryRun=All`;
  try {
    await client.request({ method: 'POST', path, body, signal, timeoutMs: ANSWER_MS });
    return false;
  } catch (error) {
    if (isWithoutNamespace(error)) return true;
    throw error;
  }
}
