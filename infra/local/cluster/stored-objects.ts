import path from 'node:path';
import { createSupervisor } from '../processes/supervisor.ts';
import { waitUnlessAborted } from '../processes/start-groups.ts';
import { reservePorts } from '../state/ports.ts';
import type { PlanContext } from '../state/start-plan.ts';
import { openCredentials } from './credentials.ts';
import { keysBelow } from './etcd-keys.ts';
import { etcdSpec } from './etcd.ts';

/** The API server's default prefix of all keys. */
const PREFIX = '/registry';

/**
 * The objects of these resources in a stopped cluster's data, as `podgroups default/a`. `etcd` is the program of the
 * data's version, and it runs until the function returns. An API server would need the gates and the API of these
 * objects, so none is started.
 */
export async function storedObjects(
  cluster: string,
  resources: readonly string[],
  context: PlanContext & { readonly etcd: string },
): Promise<string[]> {
  const { state, report, signal, etcd } = context;
  const name = `${cluster}-etcd`;
  const dir = state.at('cluster', cluster);
  const port = await reservePorts(state.at('ports.json'), [name]);
  const credentials = await openCredentials(path.join(dir, 'pki', 'etcd'), name);
  const client = await credentials.clientFiles('kube-apiserver', { commonName: 'kube-apiserver' });
  const spec = await etcdSpec({
    name,
    dir,
    port: port(name),
    etcd,
    credentials,
    client,
    answersHttp: true,
  });
  const supervisor = createSupervisor({
    runDir: state.at('run', 'servers'),
    logsDir: state.at('logs'),
    report,
  });
  const at = { port: port(name), authorityFile: credentials.authorityFile, client };
  try {
    await waitUnlessAborted(() => supervisor.start(spec), signal);
    const found = await Promise.all(resources.map((resource) => keysBelow(`${PREFIX}/${resource}/`, at)));
    return found.flat().map(({ key }) => objectName(key));
  } finally {
    await supervisor.stop();
  }
}

/** `/registry/podgroups/default/a` → `podgroups default/a`. */
function objectName(key: string): string {
  const [resource = '', ...name] = key.slice(PREFIX.length + 1).split('/');
  return `${resource} ${name.join('/')}`;
}
