import { api, bodyOf } from './client.ts';
import type { ListedJob } from './rows.ts';

/** The Job with this uid, by its events, which name it; null: there is none. */
export async function jobByUid(uid: string, signal: AbortSignal): Promise<ListedJob | null> {
  const query = { uid, limit: 1 };
  const page = await bodyOf(api.GET('/v1/events', { params: { query }, signal }));
  if (typeof page === 'string') return null;
  const [event] = page.items;
  if (event === undefined) return null;
  const [namespace = '', name = ''] = event.subject.split('/');
  const whose = { cluster: event.data.cluster, namespace, uid };
  return bodyOf(api.GET('/v1/jobs/{job}', { params: { path: { job: name }, query: whose }, signal }));
}
