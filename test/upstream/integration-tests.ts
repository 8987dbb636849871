import { isOlderMinor, type KubernetesMinor } from '../../infra/local/tools/kubernetes-versions.ts';

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
    pattern: 'TestUpdateJobPodResources/^suspended job, feature gate enabled',
    before: '1.36',
    reason:
      'changes the template right after it has created the suspended Job, before a controller outside can mark it so',
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
 * Tests that suspend a Job wait for the field of the spec that they have just written, and act in the milliseconds before a
 * controller outside of their process has suspended the Job (TestMutablePodResourcesWithPodReplacementPolicyFailed, and
 * TestUpdateJobPodResources of 1.35). Here they wait for the condition.
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

/** Gates that tests turn on and that some version has off by default; those of gangs come with the cluster's gangs. */
const GATES = ['MutablePodResourcesForSuspendedJobs', 'MutableSchedulingDirectivesForSuspendedJobs'];

/** Tests that hold under the same settings of the controller, and with the same feature gates of the API server on. */
export interface TestGroup {
  readonly environment: Readonly<Record<string, string>>;
  readonly gates: readonly string[];
  readonly tests: readonly string[];
}

/** The tests in upstream's source, by settings; those of gangs, or all others. */
export function groupTests(source: string, { gangs }: { gangs: boolean }): TestGroup[] {
  const groups = new Map<string, TestGroup & { tests: string[] }>();
  for (const { name, body } of testsIn(source)) {
    if (body.includes('features.WorkloadWithJob') !== gangs) continue;
    const needs = {
      environment: duringTestSettings(body),
      gates: GATES.filter((gate) => body.includes(`features.${gate}`)),
    };
    const key = JSON.stringify(needs);
    const group = groups.get(key) ?? { ...needs, tests: [] };
    group.tests.push(name);
    groups.set(key, group);
  }
  return [...groups.values()];
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

function duringTestSettings(body: string): Record<string, string> {
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
