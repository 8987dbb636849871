import type { Citation } from './citations.ts';
import type { Rule } from './rules.ts';

export const CONFORMANCE_PAGE = 'docs/conformance.md';

const ON_SERVERS = /^test\/(e2e|integration|faults|kills)\//;

const INTRODUCTION = `# Conformance

\`npm run rules -- --write\` makes this page from [the rules](rules.md) and the tests that name them.

Jobledger follows the behaviour of Kubernetes 1.34 to 1.37; [the rules](rules.md) say where the versions differ. For each rule this page names the tests that show it. "On real servers"
means an API server, etcd, Kafka, Temporal, Postgres and nodes that run or play pods. "Elsewhere" means tests of the pure core, of
parts, and of a model cluster with properties over many random lives. If a rule is left out, the table says why.

Kubernetes' own tests, which were written for the built-in controllers and do not know Jobledger, show the rest. \`npm run
test:upstream\` builds the end-to-end tests of Jobs, CronJobs and the time to live from the module of its release, and runs them
unchanged on a local cluster whose controllers for these are Jobledger's: 40 of 40 pass, 19 of them conformance tests; with \`--
--gangs --focus gang-eligible --skip none\` the test of gangs passes too. Tests that are labelled Serial or Disruptive, or need
another feature gate, are left out. To run other tests, use the cluster of \`jobledger up --claim all\`.
`;

/** The text of CONFORMANCE_PAGE, not formatted yet. `headings`: of each series of rules, such as `J-5`, its words. */
export function conformancePage(
  rules: ReadonlyMap<string, Rule>,
  citations: readonly Citation[],
  headings: ReadonlyMap<string, string>,
): string {
  const all = [...rules.values()];
  const sections = [...headings].map(([series, words]) => {
    const own = all.filter(({ id }) => seriesOf(id) === series);
    return [`## ${series} ${words}`, '', ...table(own, citations)].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n\n');
}

/** The headings of docs/rules.md: `## J-5 Pods` is `J-5` and `Pods`. */
export function headingsIn(page: string): Map<string, string> {
  const found = page.matchAll(/^## ([A-Z](?:-\w+)?) (.*)$/gm);
  return new Map([...found].map(([, series = '', words = '']) => [series, words]));
}

/** `J-5.40` belongs to `J-5`, `D-12` to `D`. */
function seriesOf(id: string): string {
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
