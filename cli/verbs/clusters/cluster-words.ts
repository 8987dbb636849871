import type { Command } from 'commander';
import { stateDirOption } from '../../options.ts';
import type { ClusterVerb, SayOptions } from './said.ts';

const ABOUT: Readonly<Record<ClusterVerb, string>> = {
  cordon: 'place no new Jobs in a cluster',
  drain: 'place no new Jobs in a cluster, and move those that are there',
  uncordon: 'place Jobs in a cluster again',
  lost: 'say that nothing runs in a cluster any more, so that its Jobs start elsewhere',
  found: 'take that back',
};

/** Adds the verbs that say something of a cluster to `clusters`. */
export function addClusterWords(clusters: Command): void {
  for (const [verb, about] of Object.entries(ABOUT)) {
    const command = clusters
      .command(verb)
      .description(about)
      .argument('<cluster>', 'name of the cluster')
      .option('--by <who>', 'user name to record (default: the user of this machine)');
    if (verb === 'lost')
      command.option('--force', 'although the cluster answers: what runs there may run twice');
    if (verb === 'drain') command.option('--wait', 'until no placed Job is there');
    stateDirOption(command).action(async (cluster: string, options: SayOptions) => {
      const { sayOf } = await import('./say-of-cluster.ts');
      await sayOf(verb as ClusterVerb, cluster, options);
    });
  }
}
