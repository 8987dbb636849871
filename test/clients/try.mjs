import { json } from 'node:stream/consumers';
import { bodyOf, ended, jobledger } from 'jobledger-client';

const [url, token, name] = process.argv.slice(2);
const api = jobledger({ url, token });
const { uid } = await bodyOf(
  api.POST('/v1/clusters/{cluster}/jobs', {
    params: { path: { cluster: 'local' } },
    body: await json(process.stdin),
  }),
);
const { status } = await ended(api, { name, uid }, AbortSignal.timeout(90_000));
const why = await bodyOf(api.GET('/v1/jobs/{job}/why', { params: { path: { job: name }, query: { uid } } }));
process.stdout.write(JSON.stringify({ status, why: why.answers.map(({ message }) => message) }));
