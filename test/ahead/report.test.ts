import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rulesQuoting } from './quoting-rules.ts';
import { report } from './report.ts';
import { readApi, readCode, type Sources } from './sources.ts';

/** Two versions in small: each file before and after; null: the version does not have it. */
const FILES: Record<string, [before: string | null, after: string | null]> = {
  'batch/v1/types.go': [
    batch('Parallelism *int32 `json:"parallelism"`\n\tMode string `json:"mode"`', 'Slow'),
    batch(
      'Parallelism *int64 `json:"parallelism"`\n\t// +featureGate=JobPacing\n\t// +k8s:immutable\n\tPacing []Pacing `json:"pacing"`',
      'Fast',
    ),
  ],
  'scheduling/v1alpha2/types.go': [group('v1alpha2', 'Template string `json:"template"`'), null],
  'scheduling/v1beta1/types.go': [
    null,
    group('v1beta1', '// +featureGate=Trees\n\tTree string `json:"tree"`'),
  ],
  'pkg/features/kube_features.go': [
    gates({
      JobOld: '{"1.30", true, GA}',
      JobPacing: '{"1.36", false, Alpha}',
      Kubelet: '{"1.36", false, Alpha}',
    }),
    gates({
      JobPacing: '{"1.36", false, Alpha}, {"1.37", true, Beta}, {"1.38", true, GA}',
      JobSoon: '{"1.37", false, Alpha}',
    }),
  ],
  'pkg/controller/job/job_controller.go': [
    `package job
func (c *Controller) sync(job *Job) { if gate.Enabled(features.JobOld) { run(job.Spec.Mode, 1) } }
func (c *Controller[T]) announce() { c.recorder.Eventf(job, Normal, "Started", "Started %s", name) }
func same(a int) { logger.Info("some words"); total(a, a) }
func old() error { return fmt.Errorf("cannot change it") }`,
    `package job
func (c *Controller) sync(job *Job) { logger.V(4).Info("running it now"); run(1) }
func (c *Controller[T]) announce() { c.recorder.Eventf(job, Normal, "Began", "Started %s", name) }
// Same as ever.
func same(a int) {
	logger.Info("some words")
	total(
		a,
		a, // twice
	)
}
func fakeControl() {}
var jobs = NewCounter(&Opts{Name: "jobs_begun_total", Help: "How many began."})`,
  ],
  'plugin/pkg/admission/pace/admission.go': [plugin('batch'), null],
  'plugin/pkg/admission/other/admission.go': [plugin('core'), null],
  'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go': [
    roles('"get"'),
    roles('"get", "patch"'),
  ],
};

function batch(fields: string, reason: string): string {
  return `package v1
type Job struct {
	metav1.TypeMeta \`json:",inline"\`
	Spec JobSpec \`json:"spec"\`
}
type JobSpec struct {
	${fields}
}
type Pacing struct {
	Seconds int32 \`json:"seconds"\`
}
const JobReason = "${reason}"`;
}

function group(version: string, fields: string): string {
  return `package ${version}
type PodGroup struct {
	metav1.TypeMeta \`json:",inline"\`
	Spec PodGroupSpec \`json:"spec"\`
}
type PodGroupSpec struct {
	${fields}
}`;
}

/** Stages as `{VERSION, DEFAULT, STAGE}`. */
function gates(stages: Record<string, string>): string {
  const specs = Object.entries(stages).map(([name, each]) => {
    const written = each.replaceAll(
      /\{("[\d.]+"), (\w+), (\w+)\}/g,
      '{Version: version.MustParse($1), Default: $2, PreRelease: featuregate.$3}',
    );
    return `${name}: {${written}},`;
  });
  return `package features\nvar all = map[featuregate.Feature]featuregate.VersionedSpecs{\n${specs.join('\n')}\n}`;
}

function plugin(imported: string): string {
  return `package plugin\nimport "k8s.io/kubernetes/pkg/apis/${imported}"\nfunc Validate() { ${imported}.Resource() }`;
}

function roles(verbs: string): string {
  return `package bootstrappolicy
func buildControllerRoles() {
	rules := []Rule{NewRule(${verbs}).Groups(batchGroup).Resources("jobs").RuleOrDie()}
	add(ClusterRole{Name: saRolePrefix + "job-controller", Rules: rules})
	add(ClusterRole{Name: saRolePrefix + "other", Rules: []Rule{NewRule("watch").Groups("").Resources("jobs").RuleOrDie()}})
}`;
}

const folder = mkdtempSync(join(tmpdir(), 'jobledger-ahead-'));
let [before, after]: (Sources | undefined)[] = [];
let lines: string[] = [];

beforeAll(() => {
  [before, after] = ['1.36.3', '1.37.0'].map((version, at) => {
    const root = join(folder, version);
    for (const [file, texts] of Object.entries(FILES)) {
      const text = texts[at];
      if (text === null || text === undefined) continue;
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return { version, api: readApi(root), code: readCode(root) };
  });
  lines = report(before as Sources, after as Sources, () => []).split('\n');
  // The first run compiles the reader.
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

describe('the comparison with the next version of Kubernetes', () => {
  it.each([
    ['an API version that is gone', '- **scheduling.k8s.io/v1alpha2** is gone: gone PodGroup'],
    ['a new API version with its kinds', '- **scheduling.k8s.io/v1beta1** is new: new PodGroup'],
    [
      'a new field with gate, content and fate',
      '- Job `spec.pacing[]`: new (JobPacing), `[]Pacing` (immutable) {seconds}; today **redacted**',
    ],
    ['a field that is gone', '- Job `spec.mode`: gone'],
    ['a field with another type', '- Job `spec.parallelism`: `*int32` → `*int64`'],
    [
      'the fields of a kind whose API version is another',
      '- PodGroup (scheduling.k8s.io/v1alpha2 → v1beta1) `spec.tree`: new (Trees), `string`',
    ],
    ['a gate that is on by default now', '- `JobPacing`: **now on by default**: Alpha, off → Beta, on'],
    ['a gate that is gone', '- `JobOld`: gone; was GA, on'],
    ['a gate that is new', '- new, off by default: `JobSoon`'],
    [
      'texts that are new: Events with their reasons, metrics',
      '- `pkg/controller/job` new: "Event Began: Started %s", "metric jobs_begun_total"',
    ],
    ['texts that are gone', '- `pkg/controller/job` gone: "Event Started: Started %s", "cannot change it"'],
    ['a constant', '- `constants` new: "batch/v1.JobReason = Fast"'],
    ['rights of a controller', '- job-controller on jobs: +patch'],
    [
      'a changed function with the gates that it no longer names',
      '- `pkg/controller/job` changed: `Controller.sync` (-JobOld)',
    ],
    ['a new function', '- `pkg/controller/job` new: `jobs`'],
    ['a function that is gone', '- `pkg/controller/job` gone: `old`'],
    ['a plugin about Jobs that is gone', '- **`plugin/pkg/admission/pace` is gone**: `Validate`'],
  ])('reports a relevant change: %s', (_what, line) => {
    expect(lines).toContain(line);
  });

  it('omits comments, formatting, logs, fakes, and gates and plugins that do not concern Jobledger', () => {
    for (const word of ['`same`', 'running it', 'fake', 'Kubelet', 'admission/other'])
      expect(lines.filter((line) => line.includes(word))).toEqual([]);
  });

  it('compares only the API types when the controllers cannot be downloaded', () => {
    const apiOnly = report(
      before as Sources,
      { ...(after as Sources), code: 'no such\n\tversion' },
      () => [],
    );
    expect(apiOnly).toContain('**Only the API types are compared**: no such version\n');
    expect(apiOnly).toContain('## Fields');
    expect(apiOnly).not.toContain('## Code');
    expect(apiOnly).not.toContain('Event');
  });
});

describe('the rules that a change of Kubernetes may affect', () => {
  const findRules = rulesQuoting();

  it('are the rules whose text or code quotes the changed name', () => {
    expect(findRules(['podFailurePolicy'])).toContain('J-6.10');
    expect(findRules(['scheduling.k8s.io/v1alpha2'])).toContain('J-8.1');
  });

  it('are none when the changed word is not a name', () => {
    expect(findRules(['name', ''])).toEqual([]);
  });
});
