import { isOlderMinor, type KubernetesMinor } from '../../infra/tools/kubernetes-versions.ts';

/**
 * Upstream's functions that start the API server and the controller, expect its effects within milliseconds, or read its metrics
 * in the process.
 */
const REPLACED = [
  'setup',
  'startJobControllerAndWaitForCaches',
  'createJobControllerWithSharedInformers',
  'setJobPhaseForIndex',
  'resetMetrics',
  'validateCounterMetric',
];

interface Excluded {
  /** As in `go test -skip`: a test, or a test and a subtest. Those of subtests come last, because Go does not look further. */
  readonly pattern: string;
  /** Only in versions before this one. */
  readonly before?: KubernetesMinor;
  readonly reason: string;
}

/** Tests that cannot be run against a controller and an API server outside of the process, by reason. */
const EXCLUDED: readonly Excluded[] = [
  {
    pattern: 'Re-?[Ee]nabling|FeatureToggling',
    reason: 'turns a feature gate of the API server off and on again, which only its own process can',
  },
  {
    pattern: 'TestJobRecreationClearsPodExpectations',
    reason: "blocks a request of the controller in the transport of the test's own process",
  },
  {
    pattern: 'Test/(disabled|feature (flag|gate) (off|false))',
    reason: 'needs a feature gate off that is on in this API server',
  },
  {
    pattern:
      'TestDelayTerminalPhaseCondition/(JobManagedBy( and JobSuccessPolicy are)? enabled|scale down.*; JobPodReplacementPolicy enabled)',
    before: '1.37',
    reason: 'needs the gate JobPodReplacementPolicy or JobSuccessPolicy off, which 1.34 and later lock on',
  },
];

export function excludedIn(version: KubernetesMinor): Excluded[] {
  return EXCLUDED.filter(({ before }) => before === undefined || isOlderMinor(version, before));
}

/**
 * What a test should wait for: TestMutablePodResourcesWithPodReplacementPolicyFailed waits for the field of the spec that it has
 * just written, and deletes the pods in the milliseconds before a controller outside of its process has suspended the Job.
 */
const SUSPENDED = {
  written: 'return j.Spec.Suspend != nil && *j.Spec.Suspend, nil',
  observed: 'return getJobConditionStatus(ctx, j, batchv1.JobSuspended) == v1.ConditionTrue, nil',
};

/** The settings of the controller that tests change in the process, as variables. */
const VARIABLES: Readonly<Record<string, string>> = {
  DefaultJobPodFailureBackOff: 'JOBLEDGER_POD_FAILURE_BACKOFF_MS',
  MaxJobPodFailureBackOff: 'JOBLEDGER_MAX_POD_FAILURE_BACKOFF_MS',
  SyncJobBatchPeriod: 'JOBLEDGER_SYNC_BATCH_PERIOD_MS',
  MaxUncountedPods: 'JOBLEDGER_MAX_UNCOUNTED_PODS',
  MaxPodCreateDeletePerSync: 'JOBLEDGER_MAX_PODS_PER_SYNC',
};

/** The durations in milliseconds that they are set to. */
const MILLISECONDS: Readonly<Record<string, string>> = {
  fastPodFailureBackoff: '100',
  fastSyncJobBatchPeriod: '100',
  '2*time.Second': '2000',
  '2*wait.ForeverTestTimeout': '60000',
};

/** Tests that hold under the same settings of the controller. */
export interface TestGroup {
  readonly environment: Readonly<Record<string, string>>;
  readonly tests: readonly string[];
}

/** The tests in upstream's source, by settings; those of gangs, or all others. */
export function groupsOf(source: string, { gangs }: { gangs: boolean }): TestGroup[] {
  const groups = new Map<string, { environment: Record<string, string>; tests: string[] }>();
  for (const { name, body } of testsIn(source)) {
    if (needsGangs(body) !== gangs) continue;
    const environment = settingsOf(body);
    const key = JSON.stringify(environment);
    const group = groups.get(key) ?? { environment, tests: [] };
    group.tests.push(name);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The feature gates that tests set, without those of gangs. The API server has all of them on, as later versions have. */
export function gatesOf(source: string): string[] {
  const bodies = testsIn(source).filter(({ body }) => !needsGangs(body));
  const gates = bodies.flatMap(({ body }) =>
    [...body.matchAll(/\bfeatures\.(\w+)/g)].map(([, gate = '']) => gate),
  );
  return [...new Set(gates)].toSorted();
}

/** Upstream's source, with other names for the functions that the file in test/upstream/suite defines. */
export function withExternalController(source: string): string {
  const patient = source.replace(SUSPENDED.written, SUSPENDED.observed);
  return REPLACED.reduce((text, name) => {
    const defined = `\nfunc ${name}(`;
    if (!text.includes(defined)) throw new Error(`upstream's integration tests have no function ${name}`);
    return text.replace(defined, `\nfunc upstream_${name}(`);
  }, patient);
}

function testsIn(source: string): { name: string; body: string }[] {
  const functions = source.matchAll(/^func (Test\w+)\(t \*testing\.T\) \{\n(.*?)^\}$/gms);
  return [...functions].map(([, name = '', body = '']) => ({ name, body }));
}

function needsGangs(body: string): boolean {
  return body.includes('features.WorkloadWithJob');
}

function settingsOf(body: string): Record<string, string> {
  const calls = body.matchAll(/set(?:Duration)?DuringTest\(&jobcontroller\.(\w+), ([^)]+)\)/g);
  const settings = [...calls].map(([, field = '', value = '']) => {
    const variable = VARIABLES[field];
    const number = /^\d+$/.test(value) ? value : MILLISECONDS[value];
    if (variable === undefined || number === undefined)
      throw new Error(`an integration test sets ${field} to ${value}, which is not known here`);
    return [variable, number] as const;
  });
  return Object.fromEntries(settings.toSorted(([one], [other]) => one.localeCompare(other)));
}
