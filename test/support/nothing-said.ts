import type { SaidOfClusters } from '../../services/api/said-of-clusters.ts';

/** Nobody has said anything of a cluster; what is said is repeated, and recorded nowhere. */
export const NOTHING_SAID: SaidOfClusters = {
  words: () => Promise.resolve({}),
  say: ({ verb, by }) => {
    const said = { by, at: Date.parse('2026-11-21T03:12:00Z') };
    return Promise.resolve(verb === 'cordon' ? { cordoned: said } : {});
  },
};
