import { z } from 'zod';
import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { placedJobSchema } from '../../../services/api/schemas/ledger.ts';
import type { ClusterVerb } from '../../../services/requests/cluster-verbs.ts';
import type { PlacedView } from '../../../services/read-model/views/clusters.ts';
import { printOverride, type OverrideOptions } from './override.ts';

const overrideResponse = z.object({ by: z.string(), changed: z.boolean() });
const placedResponse = z.object({ items: z.array(placedJobSchema), next: z.string().nullable() });

/** Rows per page, the largest number that the API allows. */
const PAGE = 500;

/** Records a person's override of a cluster through the API. @throws InputError if the state of the cluster does not permit the override. */
export async function overrideOverApi(
  api: ApiCalls,
  verb: ClusterVerb,
  cluster: string,
  options: OverrideOptions,
): Promise<void> {
  const path = `/v1/clusters/${encodeURIComponent(cluster)}`;
  const query = { by: options.by, force: options.force === true ? 'true' : undefined };
  const { by, changed: isChanged } = await api.post(`${path}/${verb}`, query, undefined, overrideResponse);
  await printOverride({ verb, cluster, by, isChanged }, options, () =>
    Array.fromAsync(placedJobs(api, path)),
  );
}

/** The placed Jobs in a cluster, page by page. */
async function* placedJobs(api: ApiCalls, path: string): AsyncGenerator<PlacedView> {
  for (let cursor: string | undefined, isLast = false; !isLast;) {
    const { items, next } = await api.get(`${path}/placed`, { limit: PAGE, cursor }, placedResponse);
    yield* items;
    [cursor, isLast] = [next ?? undefined, next === null];
  }
}
