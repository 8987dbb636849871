import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { checkVersions } from '../kills/check-versions.ts';
import type { TestCluster } from './cluster.ts';
import { install, type Installation, type InstallOptions } from './installation.ts';
import { witnessCollection } from './witness.ts';

export const NAMESPACES = ['team-a', 'team-b', 'team-c', 'team-d', 'team-e', 'team-f'];

/** An installation whose test starts and halts the ingesters of shards, while Jobs run in six namespaces and a witness watches the cluster. */
export interface ShardedIngesters {
  installation: Installation;
  /** The cluster, once for each namespace. */
  teams: TestCluster[];
  /** Starts these ingesters, or all, of a number of shards. */
  start(of: number, which?: readonly number[]): Promise<void>;
  halt(of: number): Promise<void>;
  /** Creates a Job in each namespace, and returns a function that waits for the ends of these Jobs. */
  wave(): Promise<() => Promise<void>>;
  /** The name of the Jobs of the last wave. */
  waveName(): string;
  /** Returns findings about the versions that the witness has seen: none if each is in SQL once and there is no gap. */
  wrongVersions(): Promise<unknown[]>;
  stop(): Promise<void>;
}

export const ingesterName = (index: number, of: number): string => `ingester-${index}-of-${of}`;
const shards = (of: number): number[] => Array.from({ length: of }, (_, at) => at + 1);

export async function installSharded(
  options: Pick<InstallOptions, 'ownServers'> = {},
): Promise<ShardedIngesters> {
  const installation = await install({ separate: true, ...options });
  const { cluster } = installation;
  const [teams] = await Promise.all([
    Promise.all(NAMESPACES.map((name) => cluster.inNewNamespace(name))),
    installation.startServices(['dispatcher', 'worker', 'projector']),
  ]);
  const [jobs, pods] = await Promise.all([
    witnessCollection(cluster.client, '/apis/batch/v1/jobs'),
    witnessCollection(cluster.client, '/api/v1/pods'),
  ]);
  let waves = 0;
  const waveName = (): string => `wave-${waves}`;
  return {
    installation,
    teams,
    waveName,
    async start(of, which = shards(of)) {
      await Promise.all(
        which.map(async (index) => {
          const environment = { ...installation.environment, JOBLEDGER_INGESTER_SHARD: `${index}/${of}` };
          const spec = serviceChildren(environment).find(({ name }) => name === 'ingester');
          if (spec === undefined) throw new Error('there is no ingester');
          await installation.services.start({ ...spec, name: ingesterName(index, of) });
        }),
      );
    },
    async halt(of) {
      await Promise.all(shards(of).map((index) => installation.services.halt(ingesterName(index, of))));
    },
    async wave() {
      waves += 1;
      const name = waveName();
      await Promise.all(teams.map((team) => team.createJob(name, { completions: 2, parallelism: 2 }, {})));
      return async () => {
        const ended = await Promise.all(teams.map((team) => team.finished(name, 60)));
        expect(ended.map(({ status }) => status?.succeeded)).toEqual(teams.map(() => 2));
      };
    },
    async wrongVersions() {
      const { findings, figures } = await checkVersions(installation, { jobs, pods }, new Set());
      const { versionsOffered, versionsInGaps, versionsListedAgain, gaps } = figures;
      if (versionsOffered <= waves * teams.length * 4)
        return [`only ${versionsOffered} versions were offered`];
      return versionsInGaps + versionsListedAgain + gaps === 0 ? findings : [...findings, figures];
    },
    async stop() {
      jobs.stop();
      pods.stop();
      await installation.stop();
    },
  };
}
