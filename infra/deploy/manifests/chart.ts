import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import {
  DEFAULT_KUBERNETES,
  kubernetesVersion,
  type KubernetesMinor,
} from '../../local/tools/kubernetes-versions.ts';

/** The folder of the chart. */
export const CHART = path.join(PACKAGE_DIR, 'infra', 'deploy', 'chart');

/** Values of infra/deploy/chart/values.yaml that differ from their defaults. */
export type ChartValues = Readonly<Record<string, unknown>>;

/**
 * The manifests that the chart renders for these values, as YAML, for a release named `jobledger` in the namespace
 * `jobledger`. `helm` is the path of the program, and `kubernetes` is the version of the cluster.
 * @throws with Helm's message when the values are not allowed.
 */
export function renderChart(
  helm: string,
  values: ChartValues,
  files: readonly string[] = [],
  kubernetes: KubernetesMinor = DEFAULT_KUBERNETES,
): string {
  const only = files.flatMap((file) => ['--show-only', `templates/${file}`]);
  const release = ['template', 'jobledger', CHART, '--namespace', 'jobledger'];
  return runHelm(helm, [...release, ...kubernetesArguments(kubernetes), '--values', '-', ...only], values);
}

/**
 * The output of `helm lint` about the chart with these values. @throws with the output when it finds an error or a
 * warning.
 */
export function lintChart(helm: string, values: ChartValues): string {
  return runHelm(
    helm,
    ['lint', CHART, '--strict', ...kubernetesArguments(DEFAULT_KUBERNETES), '--values', '-'],
    values,
  );
}

function kubernetesArguments(minor: KubernetesMinor): string[] {
  return ['--kube-version', kubernetesVersion(minor).kubernetes];
}

function runHelm(helm: string, args: readonly string[], values: ChartValues): string {
  return execFileSync(helm, args, {
    input: JSON.stringify(values),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
