import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Addresses } from '../../../infra/local/state/addresses.ts';
import { LOOPBACK } from '../../../infra/local/state/ports.ts';
import { startLocalServers, type LocalServers } from '../../../infra/local/local-servers.ts';
import { errorMessage } from '../../../services/adapters/errors.ts';
import { controlPlanes, type ControlPlanes, type SharedPlaneOptions } from './control-planes.ts';
import { sharedPorts } from './port-ranges.ts';
import { makeTemplate } from './own-database.ts';

/** The URL at which test files ask for the servers of the run. Unset outside jest. */
export const RUN_SERVERS_VARIABLE = 'JOBLEDGER_TEST_RUN_SERVERS';

export const PLANES = '/planes';

export const SHARED = ['postgres', 'kafka', 'temporal'] as const;
export type SharedServer = (typeof SHARED)[number];

export interface RunServers {
  stop(): Promise<void>;
}

interface Started {
  servers: LocalServers;
  /** The reason why the server was given up. */
  failure?: string;
}

/**
 * Serves the addresses of the servers that all test files of a run share: `GET /kafka` starts Kafka when it is the first
 * request for it, and responds with its address when it is ready. `POST /planes` lends a control plane with the options in the
 * body, and `DELETE /planes/<id>` gives it back. Called in jest's parent process, because everything that a file starts ends with
 * the file.
 */
export async function serveRun(): Promise<RunServers> {
  process.env['JOBLEDGER_LOCAL_PORTS'] = sharedPorts();
  const stateDirs: string[] = [];
  const all = new Map<SharedServer, Promise<Started>>();
  const start = (name: SharedServer): Promise<Started> => {
    // The prefix that reap-test-servers.ts looks for.
    const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-test-shared-'));
    stateDirs.push(stateDir);
    return startOne(name, stateDir);
  };
  const planes = controlPlanes();
  const server = createServer((request, response) => {
    if (request.url?.startsWith(PLANES) === true) return void respondOfPlanes(planes, request, response);
    const name = SHARED.find((each) => request.url === `/${each}`);
    if (name === undefined) return void response.writeHead(404).end();
    const starting = all.get(name) ?? start(name);
    all.set(name, starting);
    void respond(response, name, starting);
  });
  // A process that had no time for a while would send its next request over a connection that has just been closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => void server.listen(0, LOOPBACK, resolve));
  server.unref();
  process.env[RUN_SERVERS_VARIABLE] = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      const stopped = [...all.values()].map((starting) => starting.then(({ servers }) => servers.stop()));
      // One that could not be started has nothing to stop.
      await Promise.allSettled([...stopped, planes.stop()]);
      for (const stateDir of stateDirs) rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** Lends a control plane, or takes one back, which is cleaned afterwards. */
async function respondOfPlanes(
  planes: ControlPlanes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'DELETE') {
    planes.giveBack(request.url?.slice(PLANES.length + 1) ?? '');
    return void response.writeHead(204).end();
  }
  try {
    const lent = await planes.lend((await json(request)) as SharedPlaneOptions);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(lent));
  } catch (error) {
    response.writeHead(500).end(`no control plane: ${errorMessage(error)}`);
  }
}

async function startOne(name: SharedServer, stateDir: string): Promise<Started> {
  const report = (line: string): void => void process.stderr.write(`shared servers: ${line}\n`);
  const servers = await startLocalServers({
    stateDir,
    [name]: true,
    report,
    purpose: 'the servers of a test run',
  });
  const started: Started = { servers };
  void servers.failed.then(({ error }) => (started.failure = errorMessage(error)));
  if (name === 'postgres') await makeTemplate(servers.addresses.databaseUrl ?? '');
  return started;
}

/** Responds with the addresses, or with the reason why there are none. */
async function respond(
  response: ServerResponse,
  name: SharedServer,
  starting: Promise<Started>,
): Promise<void> {
  const result = await starting.then(
    ({ servers, failure }): { addresses: Addresses } | { failure: string } =>
      failure === undefined ? { addresses: servers.addresses } : { failure },
    (error: unknown) => ({ failure: errorMessage(error) }),
  );
  if ('addresses' in result)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result.addresses));
  else response.writeHead(500).end(`the shared ${name} does not run: ${result.failure}`);
}
