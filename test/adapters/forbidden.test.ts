import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { JobledgerError, errorMessage } from '../../services/adapters/errors.ts';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';

let server: http.Server;

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** The error of a request to an API server that forbids it; `answer` is what happens on /readyz. */
async function errorWhereReadyz(answer: (response: http.ServerResponse) => void): Promise<JobledgerError> {
  server = http.createServer(({ url }, response) => {
    if (url === '/readyz') return answer(response);
    response.statusCode = 403;
    const refusal = { reason: 'Forbidden', message: 'jobs.batch is forbidden' };
    response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...refusal }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createKubernetesClient({
    cluster: 'east',
    context: 'east',
    server: new URL(`http://127.0.0.1:${port}`),
    access: () => Promise.resolve({ pool: new Pool(`http://127.0.0.1:${port}`), headers: {} }),
  });
  const request = client.request({ method: 'GET', path: '/apis/batch/v1/jobs' });
  const error: unknown = await request.catch((thrown: unknown) => thrown);
  if (!(error instanceof JobledgerError)) throw new Error('the request was not refused');
  return error;
}

const status =
  (code: number) =>
  (response: http.ServerResponse): void => {
    response.statusCode = code;
    response.end('no');
  };

describe('a request that the API server forbids', () => {
  it('is reported as refused when the API server is ready', async () => {
    const error = await errorWhereReadyz(status(200));
    expect(error).toMatchObject({ status: 403, retryable: false, message: 'jobs.batch is forbidden' });
  });

  it.each([
    ['forbids /readyz too', status(403)],
    ['is not ready', status(500)],
    ['breaks off at /readyz', (response: http.ServerResponse) => void response.destroy()],
  ])(
    'can be retried when the API server %s, and the error names a possibly missing right',
    async (_, answer) => {
      const error = await errorWhereReadyz(answer);
      expect(error.retryable).toBe(true);
      expect(errorMessage(error)).toMatch(
        /^cluster "east" \(127\.0\.0\.1:\d+\) forbids GET \/apis\/batch\/v1\/jobs; if it is not starting, the credentials lack the right: jobs\.batch is forbidden$/,
      );
    },
  );
});
