import type { Job, LabelSelector, Pod } from '../../workflows/kubernetes/objects.ts';
import { compareVersions } from '../../workflows/job/resource-version.ts';
import { messageOf } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { list } from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/log.ts';

const RETRY_MS = 500;

/** Reads the pods without controller that a Job could adopt (J-3.30), by version; tries until the API server answers. */
export async function orphansOf(
  { client, log, signal }: { client: KubernetesClient; log: Log; signal: AbortSignal },
  { metadata: { namespace }, spec: { selector = {} } }: Job,
): Promise<Pod[]> {
  const query = `labelSelector=${encodeURIComponent(selectorText(selector))}`;
  while (!signal.aborted) {
    try {
      const { items } = await list<Pod>(client, `/api/v1/namespaces/${namespace}/pods`, query, signal);
      return items
        .filter(
          ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller === true) !== true,
        )
        .toSorted((a, b) => compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion));
    } catch (error) {
      log.warn({ namespace, error: messageOf(error) }, 'orphans cannot be listed now; trying again');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return [];
}

/** A selector as a query has it. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  return [...labels, ...matchExpressions.map(expressionText)].join(',');
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

function expressionText({ key, operator, values = [] }: Expression): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
}
