import type { Command } from 'commander';
import { stateDirOption, type StateDirOption } from '../../options.ts';

export interface SayOptions extends StateDirOption {
  readonly by?: string;
  readonly force?: boolean;
  readonly wait?: boolean;
}

/** The verbs that say something of a cluster. */
const VERBS = {
  cordon: 'place no new Jobs in a cluster',
  drain: 'place no new Jobs in a cluster, and move those that are there',
  uncordon: 'place Jobs in a cluster again',
  lost: 'say that nothing runs in a cluster any more, so that its Jobs start elsewhere',
  found: 'take that back',
} as const;

export type ClusterVerb = keyof typeof VERBS;

/** Adds them to `clusters`. */
export function addClusterWords(clusters: Command): void {
  for (const [verb, about] of Object.entries(VERBS)) {
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
