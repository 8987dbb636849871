import type { LocalServers } from '../../infra/local/local-servers.ts';

/** The times when the API server of a cluster was down or starting: it forbids everything until it has read the roles. */
export interface ApiServerStarts {
  /** The same servers; kills and halts made through them are recorded. */
  servers: LocalServers;
  isStarting(cluster: string, instant: string): boolean;
}

/** The API server answers shortly before it has read the last role. */
const READING_ROLES_MS = 1000;

export function noteStarts(servers: LocalServers): ApiServerStarts {
  const away = new Map<string, { from: number; to: number }[]>();
  const goes = (name: string): void => {
    away.set(name, [...(away.get(name) ?? []), { from: Date.now(), to: Infinity }]);
  };
  const isBack = (name: string): void => {
    const last = away.get(name)?.at(-1);
    if (last?.to === Infinity) last.to = Date.now() + READING_ROLES_MS;
  };
  return {
    servers: {
      ...servers,
      kill: (name) => (goes(name), servers.kill(name)),
      halt: (name) => (goes(name), servers.halt(name)),
      start: (name) => servers.start(name).then(() => isBack(name)),
      answers: (name) => servers.answers(name).then(() => isBack(name)),
    },
    isStarting(cluster, instant) {
      const at = Date.parse(instant);
      return (away.get(`${cluster}-kube-apiserver`) ?? []).some(({ from, to }) => from <= at && at <= to);
    },
  };
}
