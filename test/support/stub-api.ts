import { NO_SUBMISSIONS } from './no-submissions.ts';
import { NO_AUDIT_RECORDS } from './no-audit-records.ts';
import { NO_OVERRIDES } from './no-overrides.ts';
import { ABOUT } from '../../services/api/service.ts';
import { addRoutes, type RouteDependencies } from '../../services/api/routes.ts';
import type { EventsDependencies } from '../../services/api/routes/events.ts';
import { createOrdinaryCheck } from '../../services/api/submission/reserved.ts';
import { toJobProblem } from '../../services/api/job-problem.ts';
import { foldsInline } from './folds-inline.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { createAuthentication } from '../../services/api/access/authentication.ts';
import { createHttpServer } from '../../services/adapters/http/server.ts';
import { tokenLine } from '../../services/api/access/tokens.ts';
import { accessEntriesIn } from './access-entries.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { NO_USAGE } from './no-usage.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';

export const TOKENS = accessEntriesIn(
  [
    tokenLine({ name: 'owner', scopes: ['read', 'submit', 'operate', 'prices'] }, 'owner-token'),
    tokenLine({ name: 'reader', scopes: ['read'] }, 'reader-token'),
    tokenLine({ name: 'robot', scopes: ['operate'] }, 'robot-token'),
    tokenLine(
      { name: 'placed', scopes: ['operate'], places: [{ cluster: '*', namespace: '*' }] },
      'placed-token',
    ),
    tokenLine(
      { name: 'team', scopes: ['operate'], places: [{ cluster: '*', namespace: 'team-a' }] },
      'team-token',
    ),
    tokenLine(
      { name: 'local-audit', scopes: ['audit'], places: [{ cluster: 'local', namespace: '*' }] },
      'audit-token',
    ),
    tokenLine({ name: 'any-audit', scopes: ['audit'] }, 'any-audit-token'),
    tokenLine(
      { name: 'accountant', scopes: ['prices'], places: [{ cluster: '*', namespace: '*' }] },
      'prices-token',
    ),
    tokenLine(
      { name: 'team-accountant', scopes: ['prices'], places: [{ cluster: 'local', namespace: '*' }] },
      'team-prices-token',
    ),
    tokenLine(
      {
        name: 'namespace-audit',
        scopes: ['audit'],
        places: [{ cluster: 'local', namespace: 'team-a' }],
      },
      'namespace-audit-token',
    ),
    tokenLine(
      { name: 'system', scopes: ['submit'], places: [{ cluster: '*', namespace: 'kube-system' }] },
      'system-token',
    ),
  ].join(''),
  'tokens',
);

/** A Job as the tables have it. */
export const ROW = {
  cluster: 'local',
  uid: 'u1',
  namespace: 'default',
  name: 'pi',
  claimed: true,
  managed_by: null,
  kubectl_status: 'Running',
  parallelism: 1,
  completions: 1,
  completion_mode: null,
  backoff_limit: 6,
  backoff_limit_per_index: null,
  active_deadline_seconds: '300',
  suspend: false,
  labels: {},
  owner_kind: null,
  owner_name: null,
  series: 'pi',
  scheduled_at: null,
  first_container_started_at: null,
  active: 1,
  ready: 0,
  terminating: 0,
  succeeded: 0,
  failed: 0,
  completed_indexes: null,
  member: false,
  placed_in: null,
  failed_indexes: null,
  created_at: '2026-11-21T03:12:00Z',
  started_at: null,
  finished_at: null,
  deletion_requested_at: null,
  deleted_at: null,
  deletion_seen: null,
  first_seen_at: '2026-11-21T03:12:00Z',
  last_seen_at: '2026-11-21T03:12:00Z',
  decision_count: 0,
  command_count: 0,
  failed_command_count: 0,
  last_decided_at: null,
  next_decision_at: null,
  waiting_rule: null,
  waiting_message: null,
  waiting_since: null,
  status: 'Running',
  waiting_for: null,
  waiting_until: null,
  reason: null,
};

/** A CronJob as the tables have it. */
const CRON_ROW = {
  cluster: 'local',
  uid: 'u2',
  namespace: 'default',
  name: 'pi',
  schedule: '*/5 * * * *',
  time_zone: null,
  suspend: false,
  concurrency_policy: 'Allow',
  starting_deadline_seconds: '100',
  successful_jobs_history_limit: 3,
  failed_jobs_history_limit: 1,
  active: 1,
  active_jobs: ['pi-1'],
  last_schedule_time: null,
  last_successful_time: null,
  labels: {},
  created_at: '2026-11-21T03:12:00Z',
  deletion_requested_at: null,
  deleted_at: null,
  deletion_seen: null,
  first_seen_at: '2026-11-21T03:12:00Z',
  last_seen_at: '2026-11-21T03:12:00Z',
  decision_count: 0,
  command_count: 0,
  failed_command_count: 0,
  last_decided_at: null,
  next_decision_at: null,
  waiting_rule: null,
  waiting_message: null,
  waiting_since: null,
};

/** The streams of its events, of which there are none. */
export function eventsDependencies(over: Partial<EventsDependencies> = {}): EventsDependencies {
  const signal = new AbortController().signal;
  return {
    run,
    topic: 'ledger',
    maxStreams: 1,
    maxStreamsOfCaller: 1,
    signal,
    count: () => undefined,
    ...over,
  };
}

/** The API with every route, over tables that contain one Job, one CronJob and nothing else; or over others. */
export async function stubApi(over: Partial<RouteDependencies> = {}): Promise<HttpServer> {
  const server = await createHttpServer({
    log: silentLog(),
    metrics: createMetrics(),
    authentication: createAuthentication({ tokens: () => TOKENS, people: [] }, 0),
    bodyLimit: 64 * 1024,
    timeoutMs: 10_000,
    about: ABOUT,
    toProblem: toJobProblem,
  });
  const client: KubernetesClient = {
    cluster: 'local',
    request: async <T>() =>
      ({
        metadata: { name: 'pi', namespace: 'default', uid: 'u2', creationTimestamp: '2026-11-21T03:12:00Z' },
        spec: {},
      }) as T,
    stream: () => Promise.reject(new Error('no streams')),
  };
  addRoutes(server, {
    reads: ({ caller: { places } }, work) => work(run, places),
    folds: foldsInline(run),
    events: eventsDependencies(),
    ask: () => Promise.resolve(),
    applyPrices: () => Promise.resolve(),
    clusters: [client],
    submissions: NO_SUBMISSIONS,
    receive: NO_AUDIT_RECORDS,
    watches: () => Promise.resolve(new Map()),
    overrides: NO_OVERRIDES,
    level: () => 1,
    claim: 'managed',
    requireOrdinary: createOrdinaryCheck('jobledger'),
    readiness: () => Promise.resolve({ status: 'ready', parts: {} }),
    ...over,
  });
  await server.ready();
  return server;
}

const run = (async ({ text, values }: Statement) => {
  if (/from jobledger\.jobs\s+where name = \$1/.test(text)) return values[0] === ROW.name ? [ROW] : [];
  if (/from jobledger\.cron_jobs\s+where name = \$1/.test(text))
    return values[0] === CRON_ROW.name ? [CRON_ROW] : [];
  if (/from jobledger\.cron_jobs\s+where \(\$1/.test(text)) return [CRON_ROW];
  if (/select .*uid.*from jobledger\.jobs\s+where \(\$1/s.test(text)) return [ROW];
  if (text.includes('min(first_seen_at)')) return [{ at: '0001-01-01T00:00:00Z' }];
  if (text.includes('from jobledger.usage_hourly'))
    return [{ ...NO_USAGE, value: null, is_total: true, currency: null }];
  return [];
}) as unknown as Run;
