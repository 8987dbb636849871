import { keepNodePresent } from '../../../infra/local/node-agent/node/presence.ts';
import { LOOPBACK } from '../../../infra/local/state/ports.ts';
import { createKubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../../services/adapters/kubernetes/connection.ts';
import { silentLog } from '../../../services/adapters/process/log.ts';
import { answerPods } from './answer-pods.ts';
import { holdPods } from './hold-pods.ts';

// A node that runs nothing, as a process of its own, so that its cost stands apart: main.ts KUBECONFIG NAME succeed|hold
// `succeed`: each pod is ready and succeeds at once. `hold`: each pod is ready until it is deleted.
const [kubeconfig = '', name = '', mode = ''] = process.argv.slice(2);
// The test or benchmark has ended, perhaps by SIGKILL.
process.once('disconnect', () => process.exit());
const [connection] = connectClusters({ kubeconfig, contexts: [] });
if (connection === undefined) throw new Error(`${kubeconfig} has no context`);
const client = createKubernetesClient(connection);
const { signal } = new AbortController();
const at = { name, address: LOOPBACK };
// Pods of a node that does not exist are failed by the pod garbage collector when they wait for their answer for a minute.
void keepNodePresent({ client, at, log: silentLog(), signal, registered: () => undefined });
await (mode === 'hold' ? holdPods : answerPods)(client, name, signal);
