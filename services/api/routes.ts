import type { HttpServer } from '../adapters/http/http-server.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import type { Claim } from '../../workflows/kubernetes/names.ts';
import type { Readiness } from './readiness.ts';
import type { Folds } from './folds/folds.ts';
import type { ReadTransaction } from './reads.ts';
import type { ReceiveAuditRecords } from './audit/receive-audit-records.ts';
import { addAuditRoute } from './routes/audit.ts';
import { addAsOfRoutes } from './routes/as-of.ts';
import { addChainRoutes } from './routes/chain.ts';
import { addClusterRoutes } from './routes/clusters.ts';
import { addClusterOverrideRoutes } from './routes/cluster-overrides.ts';
import { addCronJobRoutes } from './routes/cron-jobs.ts';
import { addEventRoutes, type EventsDependencies } from './routes/events.ts';
import { addHealthRoutes } from './routes/health.ts';
import { addHistoryRoutes } from './routes/history.ts';
import { addInstallationRoute } from './routes/installation.ts';
import { addJobCountRoutes } from './routes/job-counts.ts';
import { addJobRoutes } from './routes/jobs.ts';
import { addPriceRoutes, type ApplyPrices } from './routes/prices.ts';
import { addReplayRoutes } from './routes/replay.ts';
import { addRetryRoute } from './routes/retry.ts';
import { addSubmitRoute } from './routes/submit.ts';
import { addUsageRoute } from './routes/usage.ts';
import { addWhatIfRoutes } from './routes/what-if.ts';
import { addWhoamiRoute } from './routes/whoami.ts';
import { addWhyRoutes } from './routes/why.ts';
import { addUserRequestRoutes, type SendUserRequest } from './routes/user-requests.ts';
import type { RequireOrdinary } from './submission/reserved.ts';
import type { Submissions } from './submission/submissions.ts';
import type { ClusterOverrides } from './cluster-overrides.ts';
import type { WatchesOfClusters } from './watches.ts';

/** The dependencies of the routes. */
export interface RouteDependencies {
  reads: ReadTransaction;
  folds: Folds;
  events: EventsDependencies;
  ask: SendUserRequest;
  applyPrices: ApplyPrices;
  submissions: Submissions;
  receive: ReceiveAuditRecords;
  clusters: readonly KubernetesClient[];
  watches: WatchesOfClusters;
  overrides: ClusterOverrides;
  /** The feature level; null before Kafka has answered. */
  level: () => number | null;
  claim: Claim;
  requireOrdinary: RequireOrdinary;
  readiness: () => Promise<Readiness>;
}

/** Adds every route of the API. */
export function addRoutes(server: HttpServer, dependencies: RouteDependencies): void {
  addJobRoutes(server, dependencies.reads);
  addChainRoutes(server, dependencies.reads);
  addJobCountRoutes(server, dependencies.reads);
  addUsageRoute(server, dependencies.reads);
  addCronJobRoutes(server, dependencies.reads);
  addHistoryRoutes(server, dependencies.reads);
  addWhyRoutes(server, dependencies.reads, dependencies.folds);
  addWhatIfRoutes(server, dependencies.reads, dependencies.folds);
  addReplayRoutes(server, dependencies.reads, dependencies.folds);
  addAsOfRoutes(server, dependencies.reads);
  addClusterRoutes(server, dependencies);
  addClusterOverrideRoutes(server, dependencies);
  addPriceRoutes(server, dependencies);
  addInstallationRoute(server, dependencies);
  addEventRoutes(server, dependencies.reads, dependencies.events);
  addUserRequestRoutes(server, dependencies);
  addSubmitRoute(server, dependencies);
  addRetryRoute(server, dependencies);
  addAuditRoute(server, dependencies);
  addWhoamiRoute(server);
  addHealthRoutes(server, dependencies.readiness);
}
