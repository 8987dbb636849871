/** The overrides of a cluster: the verbs with which a person sets and removes them. */
export const CLUSTER_VERBS = ['cordon', 'drain', 'uncordon', 'lost', 'found'] as const;
export type ClusterVerb = (typeof CLUSTER_VERBS)[number];
