import { describe, expect, it } from '@jest/globals';
import { excludedIn, groupTests, withExternalController } from './integration-tests.ts';

const SOURCE = `package job

func TestOne(t *testing.T) {
	t.Cleanup(setDurationDuringTest(&jobcontroller.DefaultJobPodFailureBackOff, fastPodFailureBackoff))
	closeFn, restConfig, clientSet, ns := setup(t, "simple")
	if true {
	}
}

func TestGang(t *testing.T) {
	featuregatetesting.SetFeatureGatesDuringTest(t, feature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
		features.GenericWorkload: true,
		features.WorkloadWithJob: true,
	})
}

func TestTwo(t *testing.T) {
	t.Cleanup(setDuringTest(&jobcontroller.MaxUncountedPods, 10))
	t.Cleanup(setDurationDuringTest(&jobcontroller.DefaultJobPodFailureBackOff, 2*time.Second))
	featuregatetesting.SetFeatureGateDuringTest(t, feature.DefaultFeatureGate, features.MutablePodResourcesForSuspendedJobs, true)
}

func TestThree(t *testing.T) {
	t.Cleanup(setDurationDuringTest(&jobcontroller.DefaultJobPodFailureBackOff, fastPodFailureBackoff))
}

func setup(t testing.TB, nsBaseName string) {
}
`;

describe('the integration tests of Kubernetes for Jobs', () => {
  it('are grouped by the settings and gates that they change', () => {
    expect(groupTests(SOURCE, { gangs: false })).toEqual([
      {
        environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '100' },
        gates: [],
        tests: ['TestOne', 'TestThree'],
      },
      {
        environment: { JOBLEDGER_MAX_UNCOUNTED_PODS: '10', JOBLEDGER_POD_FAILURE_BACKOFF_MS: '2000' },
        gates: ['MutablePodResourcesForSuspendedJobs'],
        tests: ['TestTwo'],
      },
    ]);
  });

  it('are a separate group when they test gangs', () => {
    expect(groupTests(SOURCE, { gangs: true })).toEqual([
      { environment: {}, gates: [], tests: ['TestGang'] },
    ]);
  });

  it('are excluded by patterns: an older Kubernetes has more, and the patterns of subtests come last', () => {
    const [all, before] = [excludedIn('1.37'), excludedIn('1.36')];
    expect(before.length).toBeGreaterThan(all.length);
    expect(before.slice(0, all.length)).toEqual(all);
    // Go looks at no pattern after one of a subtest.
    const ofSubtests = before.map(({ pattern }) => Number(pattern.includes('/')));
    expect(ofSubtests).toEqual(ofSubtests.toSorted((one, other) => one - other));
  });

  it('cannot be run with a setting that is not known to the test', () => {
    const unknown = SOURCE.replace('2*time.Second', '3*time.Hour');
    expect(() => groupTests(unknown, { gangs: false })).toThrow(
      'sets DefaultJobPodFailureBackOff to 3*time.Hour, which is not known here',
    );
  });

  it('use an external controller instead of their own, and are refused without a function that starts one', () => {
    expect(() => withExternalController(SOURCE)).toThrow(
      'have no function startJobControllerAndWaitForCaches',
    );
    const names = [
      'startJobControllerAndWaitForCaches',
      'createJobControllerWithSharedInformers',
      'setJobPhaseForIndex',
    ];
    const others = [...names, 'resetMetrics', 'validateCounterMetric'].map((name) => `\nfunc ${name}() {}\n`);
    const changed = withExternalController(SOURCE + others.join(''));
    expect(changed).toContain('func upstream_setup(t testing.TB');
    expect(changed).toContain('ns := setup(t, "simple")');
    expect(changed).not.toContain('\nfunc resetMetrics(');
  });
});
