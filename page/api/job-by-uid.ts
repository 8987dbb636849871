import { api, requireBody } from './client.ts';
import type { ListedJob } from './rows.ts';

/** The Job with this uid, in any cluster; null when no such Job exists. */
export async function jobByUid(uid: string, signal: AbortSignal): Promise<ListedJob | null> {
  const query = { uid, deleted: 'true' as const, limit: 1 };
  const { items } = await requireBody(api.GET('/v1/jobs', { params: { query }, signal }));
  return items[0] ?? null;
}
