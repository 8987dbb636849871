import { json } from 'node:stream/consumers';
import { readBody, waitForEnd, jobledger } from 'jobledger-client';

const [url, token, name] = process.argv.slice(2);
const api = jobledger({ url, token });
const { uid } = await readBody(
  api.POST('/v1/clusters/{cluster}/jobs', {
    params: { path: { cluster: 'local' } },
    body: await json(process.stdin),
  }),
);
const { status } = await waitForEnd(api, { name, uid }, AbortSignal.timeout(90_000));
const why = await readBody(
  api.GET('/v1/jobs/{job}/why', { params: { path: { job: name }, query: { uid } } }),
);
process.stdout.write(JSON.stringify({ status, why: why.answers.map(({ message }) => message) }));
