import { NO_AUDIT_RECORDS } from './no-audit-records.ts';
import { NO_SUBMISSIONS } from './no-submissions.ts';
import { NO_OVERRIDES } from './no-overrides.ts';
import { join } from 'node:path';
import { foldsInline } from './folds-inline.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { createAuthentication } from '../../services/api/access/authentication.ts';
import { createHttpServer } from '../../services/adapters/http/server.ts';
import { tokenLine, type AccessEntry } from '../../services/api/access/tokens.ts';
import { accessEntriesIn } from './access-entries.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { Database } from '../../services/adapters/postgres/database.ts';
import type { PersonSource } from '../../services/api/access/people.ts';
import type { PageSettings } from '../../services/api/page-settings.ts';
import { createOrdinaryCheck } from '../../services/api/submission/reserved.ts';
import { toJobProblem } from '../../services/api/job-problem.ts';
import type { ClusterOverrides } from '../../services/api/cluster-overrides.ts';
import type { WatchesOfClusters } from '../../services/api/watches.ts';
import { createReads } from '../../services/api/reads.ts';
import { addRoutes } from '../../services/api/routes.ts';
import { addPageRoutes } from '../../services/api/routes/page.ts';
import type { SendUserRequest } from '../../services/api/routes/user-requests.ts';
import { TOPIC } from '../projector/real-postgres.ts';

/** Of a caller who may read, of one who may also suspend and resume, and of one who may also submit. */
export const [TOKEN, OPERATOR, SUBMITTER] = ['token-of-reader', 'token-of-operator', 'token-of-submitter'];

const TOKENS: readonly AccessEntry[] = accessEntriesIn(
  tokenLine({ name: 'reader', scopes: ['read'] }, TOKEN) +
    tokenLine({ name: 'operator', scopes: ['read', 'operate'] }, OPERATOR) +
    tokenLine({ name: 'submitter', scopes: ['read', 'submit'] }, SUBMITTER) +
    tokenLine({ name: 'robot', scopes: ['operate'] }, 'token-of-robot') +
    'group:oidc:team read\n',
  'tokens',
);

const PROJECTION = { status: 'ok', detail: 'the tables are 7 records behind the ledger' } as const;

export interface PageApi {
  database: Database;
  /** Ends the open streams. */
  signal: AbortSignal;
  ask: SendUserRequest;
  /** Where Jobs can be submitted. */
  clusters?: readonly KubernetesClient[];
  people?: readonly PersonSource[];
  settings?: PageSettings;
  watches?: WatchesOfClusters;
  overrides?: ClusterOverrides;
}

const NO_SETTINGS: PageSettings = { provider: null, logUrl: null };

/** The API over tables, with the page that is built. @throws when it is not built. */
export async function pageApi({
  database,
  signal,
  ask,
  clusters = [],
  people = [],
  settings = NO_SETTINGS,
  watches = () => Promise.resolve(new Map()),
  overrides = NO_OVERRIDES,
}: PageApi): Promise<HttpServer> {
  const server = await createHttpServer({
    log: silentLog(),
    metrics: createMetrics(),
    authentication: createAuthentication({ tokens: () => TOKENS, people }, 0),
    bodyLimit: 1000,
    timeoutMs: 10_000,
    about: { title: 'Jobledger', version: '1', description: 'of the page' },
    toProblem: toJobProblem,
  });
  addRoutes(server, {
    reads: createReads(database),
    folds: foldsInline(database.run),
    events: {
      run: database.run,
      topic: TOPIC,
      maxStreams: 20,
      maxStreamsOfCaller: 20,
      signal,
      count: () => undefined,
    },
    ask,
    applyPrices: () => Promise.resolve(),
    clusters,
    submissions: NO_SUBMISSIONS,
    receive: NO_AUDIT_RECORDS,
    watches,
    overrides,
    level: () => 1,
    claim: 'managed',
    requireOrdinary: createOrdinaryCheck('jobledger'),
    readiness: () => Promise.resolve({ status: 'ready', parts: { projection: PROJECTION } }),
  });
  if (!addPageRoutes(server, join(process.cwd(), 'build', 'page'), settings))
    throw new Error('the page is not built: run npm run prepare');
  return server;
}
