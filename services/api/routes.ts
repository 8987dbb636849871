import type { HttpServer } from '../adapters/http/server.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import type { Claim } from '../../workflows/kubernetes/names.ts';
import type { Readiness } from './readiness.ts';
import type { Reads } from './reads.ts';
import { addAsOfRoutes } from './routes/as-of.ts';
import { addClusterRoutes } from './routes/clusters.ts';
import { addEventRoutes, type EventsNeeds } from './routes/events.ts';
import { addHealthRoutes } from './routes/health.ts';
import { addHistoryRoutes } from './routes/history.ts';
import { addJobRoutes } from './routes/jobs.ts';
import { addReplayRoutes } from './routes/replay.ts';
import { addSubmitRoute } from './routes/submit.ts';
import { addWhyRoutes } from './routes/why.ts';
import { addWishRoutes, type Ask } from './routes/wishes.ts';

/** What the routes need of the world. */
export interface Needs {
  reads: Reads;
  events: EventsNeeds;
  ask: Ask;
  clusters: readonly KubernetesClient[];
  claim: Claim;
  readiness: () => Promise<Readiness>;
}

/** Every route of the API. */
export function addRoutes(server: HttpServer, needs: Needs): void {
  addJobRoutes(server, needs.reads);
  addHistoryRoutes(server, needs.reads);
  addWhyRoutes(server, needs.reads);
  addReplayRoutes(server, needs.reads);
  addAsOfRoutes(server, needs.reads);
  addClusterRoutes(server, needs.reads);
  addEventRoutes(server, needs.events);
  addWishRoutes(server, needs);
  addSubmitRoute(server, needs);
  addHealthRoutes(server, needs.readiness);
}
