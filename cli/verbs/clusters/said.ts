import type { StateDirOption } from '../../options.ts';

export interface SayOptions extends StateDirOption {
  readonly by?: string;
  readonly force?: boolean;
  readonly wait?: boolean;
}

/** The verbs that say something of a cluster. */
export type ClusterVerb = 'cordon' | 'drain' | 'uncordon' | 'lost' | 'found';
