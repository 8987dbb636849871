import { mkdirSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

/** A tool from PyPI that creates Jobs. */
export interface Tool {
  /** As pip takes it. */
  requirement: string;
  /** In examples/integrations; also on docs/integrations.md. */
  definition: string;
  /** The commands of its user, in order; `{bin}` is the folder of its programs, `{folder}` that of the definition. */
  commands: readonly (readonly string[])[];
  /** `folder`: empty, and of this run only. */
  environment(folder: string): Record<string, string>;
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  airflow: {
    requirement: 'apache-airflow-providers-cncf-kubernetes==10.25.0',
    definition: 'airflow_dag.py',
    commands: [
      ['{bin}/airflow', 'db', 'migrate'],
      ['{bin}/airflow', 'dags', 'test', 'nightly'],
    ],
    environment: (folder) => ({
      AIRFLOW_HOME: folder,
      AIRFLOW__CORE__DAGS_FOLDER: folder,
      AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    }),
  },
  dagster: {
    requirement: 'dagster-k8s==0.29.27',
    definition: 'dagster_job.py',
    commands: [
      [
        '{bin}/python',
        '-c',
        'import sys; from dagster_job import nightly; sys.exit(not nightly.execute_in_process().success)',
      ],
    ],
    environment: (folder) => ({ PYTHONPATH: folder }),
  },
  prefect: {
    requirement: 'prefect-kubernetes==0.8.0',
    definition: 'prefect_job.py',
    commands: [['{bin}/python', '{folder}/prefect_job.py']],
    environment: (folder) => ({
      PREFECT_HOME: folder,
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: '180',
    }),
  },
};

const definitionFile = ({ definition }: Tool): string =>
  join(PACKAGE_DIR, 'examples', 'integrations', definition);

export const readDefinition = (tool: Tool): string => readFileSync(definitionFile(tool), 'utf8');

/** Writes the definition of a tool to a new folder, as it stands or without the line that names the manager. */
export function writeDefinition(tool: Tool, folder: string, named: boolean): void {
  mkdirSync(folder, { recursive: true });
  const target = join(folder, tool.definition);
  if (named) return copyFileSync(definitionFile(tool), target);
  const lines = readDefinition(tool).split('\n');
  writeFileSync(target, lines.filter((line) => !/managed_?by/i.test(line)).join('\n'));
}
