import type { ClusterOverrides } from '../../services/api/cluster-overrides.ts';

/** No cluster has an override. A request is answered, and recorded nowhere. */
export const NO_OVERRIDES: ClusterOverrides = {
  availability: () => Promise.resolve({}),
  override: ({ verb, by }) => {
    const recorded = { by, at: Date.parse('2026-11-21T03:12:00Z') };
    return Promise.resolve({
      availability: verb === 'cordon' ? { cordoned: recorded } : {},
      isChanged: true,
    });
  },
};
