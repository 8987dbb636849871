import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tokenLine } from '../../services/api/access/tokens.ts';
import { errorMessage } from '../../services/adapters/errors.ts';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import { checkRecord } from '../kills/checks.ts';
import { apiClient, type ApiDocument } from '../support/api-client.ts';
import { install, type Installation } from '../support/installation.ts';
import { administer, UNUSABLE } from './administrator.ts';
import { summarize, type Figures, type Finding } from './figures.ts';
import { createPairs } from './pairs.ts';
import { attackAsReader } from './reader.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { attackAsTenant } from './tenant.ts';
import { watchServices } from './watched-services.ts';

export interface RunOptions {
  seed: number;
  seconds: number;
  /** Requests a second of each attacker. */
  rate: number;
  /** A pair of Jobs begins this often, in milliseconds. */
  everyMs: number;
  /** The limits in time are this many times those of the long run, for a machine that is so much slower. Default: 1. */
  slower?: number;
  report: (line: string) => void;
}

export interface RunResult {
  figures: Figures;
  findings: Finding[];
}

/** Of the attackers and of the tenant who attacks nobody. */
const [ATTACKED, OTHER] = ['hostile', 'quiet'];
/** Nineteen of twenty Jobs may take this much longer than the Job of the built-in controller that began with them, in milliseconds. */
const MOST_LATER_MS = 2000;
/** With fewer pairs, one slow moment of the machine decides about nineteen of twenty: the median is judged. */
const PAIRS_FOR_P95 = 100;
/** This much later than a process that only answers, which is asked at the same time: both wait for the machine and for the asking process. */
const HEALTHY_MS = 1000;
const PATIENCE_MS = 60_000;
/** On every Job of the other namespace. */
const SECRET = 'a-secret-of-the-quiet-namespace';

/** Both attackers on one installation that runs every controller, while Jobs of another namespace begin steadily. */
export async function runAttacks(options: RunOptions): Promise<RunResult> {
  const placement = {
    clusters: [{ name: 'local', labels: {}, allow: [{ home: 'local', namespaces: [ATTACKED] }] }],
  };
  const receiver = await startReceiver(ATTACKED);
  const sinks = [{ name: 'all', url: receiver.url, events: ['started', 'attempt-failed', 'ended'] }];
  const installation = await install({
    separate: true,
    api: true,
    ownServers: true,
    clusters: [{ name: 'local', builtInTtlController: false, builtInCronJobController: false }],
    environment: {
      JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl',
      JOBLEDGER_PLACEMENT: JSON.stringify(placement),
      JOBLEDGER_SINKS: JSON.stringify({ sinks }),
    },
  });
  const refusals: Finding[] = [];
  let result: RunResult | undefined;
  try {
    await installation.startServices();
    result = await attack(installation, receiver, options);
  } finally {
    receiver.close();
    await installation.stop().catch((error: unknown) => {
      // Whatever the attacker's own objects made the API server refuse harms the attacker only.
      const others = errorMessage(error)
        .split('; ')
        .filter((text) => !text.includes(`/namespaces/${ATTACKED}/`));
      refusals.push(...others.map((text) => ({ guarantee: 'refusals' as const, text })));
    });
  }
  const findings = [...result.findings, ...refusals];
  for (const { guarantee, text } of findings) options.report(`${guarantee}: ${text}`);
  return { findings, figures: { ...result.figures, findings: findings.length } };
}

async function attack(
  installation: Installation,
  receiver: Receiver,
  options: RunOptions,
): Promise<RunResult> {
  const { seed, seconds, rate, everyMs, slower = 1 } = options;
  const { cluster, stateDir, api } = installation;
  await cluster.inNewNamespace(ATTACKED);
  const other = await cluster.inNewNamespace(OTHER);
  const token = 'the-token-of-the-reader';
  appendFileSync(
    join(stateDir, 'api', 'tokens'),
    tokenLine(
      { name: 'reader', scopes: ['read'], places: [{ cluster: 'local', namespace: ATTACKED }] },
      token,
    ),
  );
  const document = (await apiClient(api.url, api.token).get('/openapi.json')).body as ApiDocument;
  const pairs = createPairs(other, { everyMs, secret: SECRET });
  await until(() => pairs.targets().length > 0);
  const over = new AbortController();
  const watching = new AbortController();
  const begun = Date.now();
  const attackers = Promise.all([
    attackAsTenant(installation, {
      seed,
      rate,
      namespace: ATTACKED,
      targets: pairs.targets,
      signal: over.signal,
    }),
    attackAsReader({
      url: api.url,
      token,
      document,
      seed,
      rate,
      secret: SECRET,
      signal: over.signal,
      names: () => [ATTACKED, OTHER, 'local', ...pairs.targets().flatMap(({ name, uid }) => [name, uid])],
    }),
  ]);
  const watched = watchServices(installation, watching.signal);
  const administering = administer(installation, { namespace: ATTACKED, signal: over.signal });
  await Promise.race([delay(seconds * 1000), attackers, administering]);
  over.abort();
  const [[tenant, { failures, ...reader }], { failures: failedVerbs, ...administrator }] = await Promise.all([
    attackers,
    administering,
  ]);
  const done = await pairs.finish(PATIENCE_MS);
  const isSent = ({ ours, number }: (typeof done)[number]): boolean =>
    ours === undefined || receiver.ended.has(`ours-${number}`);
  const limit = Date.now() + PATIENCE_MS;
  while (!done.every(isSent) && Date.now() < limit) await delay(100);
  watching.abort();
  const services = await watched;
  const measured = (Date.now() - begun) / 1000;
  const record = await checkRecord(installation);
  const letters = await installation.sql<{ reason: string; key: string }>(
    'select reason, key from jobledger.dead_letters order by found_at',
  );
  const ended = done.flatMap((pair) =>
    pair.ours === undefined || pair.builtIn === undefined
      ? []
      : [{ ours: pair.ours, builtIn: pair.builtIn, later: pair.ours - pair.builtIn }],
  );
  const [ours, builtIn] = [
    summarize(ended.map((each) => each.ours)),
    summarize(ended.map((each) => each.builtIn)),
  ];
  const later = summarize(ended.map((each) => each.later));
  const findings: Finding[] = [
    ...done
      .filter((pair) => pair.ours === undefined)
      .map(({ number }): Finding => ({ guarantee: 'late', text: `ours-${number} did not end` })),
    ...((ended.length >= PAIRS_FOR_P95 ? later.p95 : later.median) > slower * MOST_LATER_MS
      ? [
          {
            guarantee: 'late' as const,
            text: `of ${ended.length} Jobs, one of twenty took ${later.p95} ms or more longer than that of the built-in controller, the median ${later.median} ms`,
          },
        ]
      : []),
    ...SERVICES.flatMap((name): Finding[] => {
      const { restarts, slowestHealthMs, slowestLaterMs, mostMiB, limitMiB } = services[name];
      return [
        ...(restarts > 0
          ? [{ guarantee: 'restarts' as const, text: `${name} restarted ${restarts} times` }]
          : []),
        ...(slowestLaterMs > slower * HEALTHY_MS
          ? [
              {
                guarantee: 'health' as const,
                text: `${name} answered /healthz ${slowestLaterMs} ms later than a process that only answers, and after at most ${slowestHealthMs} ms`,
              },
            ]
          : []),
        ...(mostMiB > limitMiB
          ? [{ guarantee: 'memory' as const, text: `${name} used ${mostMiB} MiB of ${limitMiB}` }]
          : []),
      ];
    }),
    ...failures.map((text) => ({ guarantee: 'answers' as const, text })),
    ...letters
      .filter(({ reason }) => reason !== UNUSABLE)
      .map(({ reason, key }) => ({ guarantee: 'set aside' as const, text: `${key}: ${reason}` })),
    ...done
      .filter((pair) => !isSent(pair))
      .map(({ number }) => ({
        guarantee: 'sinks' as const,
        text: `the sink was not sent the end of ours-${number}`,
      })),
    ...failedVerbs.map((text) => ({ guarantee: 'administrator' as const, text })),
    ...(record.findings as Finding[]),
    ...(await goesOn(installation, other)),
  ];
  return {
    findings,
    figures: {
      seconds: measured,
      tenant,
      reader,
      administrator,
      deliveries: receiver.requests(),
      pairs: done.length,
      ours,
      builtIn,
      later,
      services,
      ...record.figures,
      deadLetters: letters.length,
      findings: findings.length,
    },
  };
}

/** The services start again from the ledger with the hostile records, and run another Job. */
async function goesOn(installation: Installation, other: Installation['cluster']): Promise<Finding[]> {
  await installation.haltServices();
  await installation.startServices();
  try {
    await other.createJob('afterwards', {}, {});
    await other.finished('afterwards');
    return [];
  } catch (error) {
    return [{ guarantee: 'goes on', text: errorMessage(error) }];
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(50);
}
