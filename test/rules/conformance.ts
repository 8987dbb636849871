import type { Citation } from './citations.ts';
import type { Rule } from './rules.ts';

export const CONFORMANCE_PAGE = 'docs/conformance.md';

const ON_SERVERS = /^test\/(e2e|integration|faults|kills)\//;

const INTRODUCTION = `# Conformance

\`npm run rules -- --write\` makes this page from [the rules](rules.md) and the tests that name them.

Jobledger follows the behaviour of Kubernetes 1.34 to 1.37; [the rules](rules.md) say where the versions differ. For each rule this page
names the tests that show it. "On real servers"
means an API server, etcd, Kafka, Temporal, Postgres and nodes that run or play pods. "Elsewhere" means tests of the pure core, of
parts, and of a model cluster with properties over many random lives. If a rule is left out, the table says why.

Kubernetes' own tests, which were written for the built-in controllers and do not know Jobledger, show the rest. \`npm run
test:upstream -- --kubernetes 1.37\` builds them from the module of a release, and runs them on a local cluster of that release whose
controllers for Jobs, CronJobs and the time to live are Jobledger's. Every run ends with \`jobledger admin verify\`, which found no difference.

| Kubernetes | end-to-end tests | with \`--gangs\`           | integration tests of Jobs (\`--integration\`) | with \`--gangs\`                |
| ---------- | ---------------- | ------------------------- | --------------------------------------------- | ------------------------------- |
| 1.34.4     | 40 of 40         |                           | 29 tests, 38 subtests, none failed            |                                 |
| 1.35.4     | 40 of 40         |                           | 31 tests, 40 subtests, none failed            |                                 |
| 1.36.3     | 40 of 40         | 1 of 1                    | 34 tests, 41 subtests, none failed            |                               |
| 1.37.2     | 40 of 40         | 3 of 3                    | 34 tests, 42 subtests, none failed            | 4 tests, 10 subtests, none failed |

19 of the end-to-end tests are conformance tests. They are unchanged; tests that are labelled Serial or Disruptive, or need another feature
gate, are left out. To run others, use the cluster of \`jobledger up --claim all\`. The integration tests start their own API server and
controller: the run replaces both, so that restarts of the controller do nothing, and checks of its metrics are left out. Two waits are
longer, because a controller in another process needs milliseconds for what they expect at once. \`test/upstream/integration-tests.ts\` lists
the tests that cannot run this way, with the reasons.`;

/** The text of CONFORMANCE_PAGE; its tables are not aligned, as half of it would be spaces. `headings`: of each series of rules, such as `J-5`, its words. */
export function conformancePage(
  rules: ReadonlyMap<string, Rule>,
  citations: readonly Citation[],
  headings: ReadonlyMap<string, string>,
): string {
  const all = [...rules.values()];
  const sections = [...headings].map(([series, message]) => {
    const own = all.filter(({ id }) => ruleSeries(id) === series);
    return [`## ${series} ${message}`, '', ...table(own, citations)].join('\n');
  });
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

/** The headings of docs/rules.md: `## J-5 Pods` is `J-5` and `Pods`. */
export function headingsIn(page: string): Map<string, string> {
  const found = page.matchAll(/^## ([A-Z](?:-\w+)?) (.*)$/gm);
  return new Map([...found].map(([, series = '', message = '']) => [series, message]));
}

/** `J-5.40` belongs to `J-5`, `D-12` to `D`. */
function ruleSeries(id: string): string {
  return id.startsWith('J-') ? id.replace(/\.\d+$/, '') : id.slice(0, 1);
}

function table(rules: readonly Rule[], citations: readonly Citation[]): string[] {
  const rows = rules.map(({ id, about, leftOut }) => {
    if (leftOut !== '') return `| ${id} | ${about} | left out: ${leftOut} | |`;
    const files = new Set(
      citations.filter(({ rule, by }) => rule === id && by === 'test').map(({ file }) => file),
    );
    const real = [...files].filter((file) => ON_SERVERS.test(file));
    const others = [...files].filter((file) => !ON_SERVERS.test(file));
    return `| ${id} | ${about} | ${names(real)} | ${names(others)} |`;
  });
  return ['| rule | about | on real servers | elsewhere |', '| --- | --- | --- | --- |', ...rows];
}

/** Of many the first three. */
function names(files: readonly string[]): string {
  const shown = files
    .slice(0, 3)
    .map((file) => `\`${file.replace(/^test\//, '').replace(/(\.test)?\.ts$/, '')}\``);
  return [...shown, ...(files.length > 3 ? [`${files.length - 3} more`] : [])].join(', ');
}
