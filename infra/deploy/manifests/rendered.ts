import { renderChart, type ChartValues } from './chart.ts';

interface RenderedFile {
  readonly file: string;
  readonly about: string;
  readonly values: ChartValues;
  readonly templates: readonly string[];
}

/** The rights for every controller, claim and feature, and an account that has all of these rights. */
const EVERY_RIGHT: ChartValues = {
  deploy: false,
  claim: 'all',
  controllers: ['job', 'ttl', 'cronjob'],
  gangScheduling: true,
  recordEvents: true,
  placedJobs: { enabled: true },
  recordNodes: true,
  accounts: { shared: true },
  api: { submit: true, people: true },
};

/** The manifests for `kubectl apply`, each rendered from the chart. */
export const RENDERED: readonly RenderedFile[] = [
  {
    file: 'infra/deploy/kubernetes/rbac.yaml',
    about:
      'Accounts and the least rights of each service, with every controller and feature. Apply namespace.yaml first.',
    values: EVERY_RIGHT,
    templates: ['accounts.yaml', 'rights-in-the-cluster.yaml'],
  },
  {
    file: 'infra/deploy/kubernetes/deployments.yaml',
    about:
      'The services, in a cluster whose Jobs they control. Apply namespace.yaml and rbac.yaml first, and create the Secrets:\n' +
      'docs/operate/install.md names them.',
    values: { cluster: { name: 'this-cluster' }, migrations: 'projector' },
    templates: ['deployments.yaml', 'availability.yaml', 'network.yaml'],
  },
];

/** The text of a file of manifests. */
export function renderedText(helm: string, { about, values, templates }: RenderedFile): string {
  const head = `${about}\nRendered from infra/deploy/chart by \`npm run manifests\`; change the chart instead.`;
  const body = renderChart(helm, values, templates);
  const comment = head.split('\n').map((line) => `# ${line}`);
  return `${comment.join('\n')}\n${withoutHelmMarks(body)}`;
}

/**
 * The comments in which Helm names the template of each object are left out, and so are the labels that name Helm as
 * installer.
 */
function withoutHelmMarks(yaml: string): string {
  return yaml.replaceAll(/^(# Source: | +(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): ).*\n/gm, '');
}
