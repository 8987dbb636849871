import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { createAuthentication } from '../../services/api/access/authentication.ts';
import { createHttpServer } from '../../services/adapters/http/server.ts';
import { tokenLine } from '../../services/api/access/tokens.ts';
import { accessEntriesIn } from '../support/access-entries.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { toJobProblem } from '../../services/api/job-problem.ts';
import { createReads } from '../../services/api/reads.ts';
import { addAsOfRoutes } from '../../services/api/routes/as-of.ts';
import { removeEndedJobs, storeHorizon } from '../../services/projector/horizon/remove-ended.ts';
import { after, aJob, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';

jest.setTimeout(120_000);

const OPEN = jobObserved(0, aJob({ version: 2, metadata: { uid: 'open', name: 'slow' } }), 'open');
/** The story ends 92 seconds after its start; its Job, pi, is removed. */
const HORIZON = after(93);
const TOKENS = accessEntriesIn(tokenLine({ name: 'reader', scopes: ['read'] }, 'read-token'), 'tokens');

let postgres: RealPostgres;
let server: HttpServer;

beforeAll(async () => {
  postgres = await startPostgres();
  const { database } = postgres;
  await emptied(database);
  await aProjector(database).project(toRecords([OPEN, ...aStory()]));
  await storeHorizon(database, HORIZON);
  await removeEndedJobs(database);
  server = await createHttpServer({
    log: silentLog(),
    metrics: createMetrics(),
    authentication: createAuthentication({ tokens: () => TOKENS, people: [] }, 0),
    bodyLimit: 1000,
    timeoutMs: 10_000,
    about: { title: 'Test', version: '1', description: 'of the horizon' },
    toProblem: toJobProblem,
  });
  addAsOfRoutes(server, createReads(database));
});
afterAll(async () => {
  await server?.close();
  await postgres?.close();
});

async function get(url: string): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await server.inject({ url, headers: { authorization: 'Bearer read-token' } });
  return { status: statusCode, body: JSON.parse(body) as unknown };
}

describe('a request to the API about an instant before the horizon', () => {
  it.each([
    ['all Jobs', '/v1/as-of'],
    ['a Job that was removed', '/v1/jobs/pi/as-of'],
  ])('is answered with 410 and names the horizon: %s', async (_what, path) => {
    expect(await get(`${path}?at=${after(50)}`)).toMatchObject({
      status: 410,
      body: {
        type: 'urn:jobledger:problem:before-horizon',
        detail: expect.stringContaining(`${after(50)} is before the horizon ${HORIZON}`),
      },
    });
  });

  it('is answered otherwise than a request about a later instant, which gets 200, or 404 for a removed Job', async () => {
    expect((await get(`/v1/as-of?at=${after(94)}`)).status).toBe(200);
    expect((await get(`/v1/jobs/pi/as-of?at=${after(94)}`)).status).toBe(404);
  });
});
