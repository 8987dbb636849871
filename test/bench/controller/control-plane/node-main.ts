import { createKubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../../../services/adapters/kubernetes/connection.ts';
import { answerPods } from './answer-pods.ts';

// The benchmark's node, a process of its own so that its cost stands apart: node-main.ts KUBECONFIG
const [kubeconfig = ''] = process.argv.slice(2);
// The benchmark has ended, perhaps by SIGKILL.
process.once('disconnect', () => process.exit());
const [connection] = connectClusters({ kubeconfig, contexts: [] });
if (connection === undefined) throw new Error(`${kubeconfig} has no context`);
await answerPods(createKubernetesClient(connection), new AbortController().signal);
