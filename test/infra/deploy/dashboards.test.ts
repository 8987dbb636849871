import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { loadYaml } from '../../support/yaml.ts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { boardJson } from '../../../infra/deploy/grafana/boards/board.ts';
import { BOARDS } from '../../../infra/deploy/grafana/boards/boards.ts';
import { SERVICES } from '../../../cli/verbs/up/service-children.ts';
import type { Dashboard } from '../../support/grafana.ts';
import { parsePromQl } from '../../support/promql.ts';

const FOLDER = 'infra/deploy/grafana/dashboards';
/** Where a reader of an alert finds the files of the repository. */
const SOURCE = 'https://github.com/jobledger/jobledger/blob/main/';
const dashboards = readdirSync(FOLDER).map((file) => {
  const dashboard = JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as Dashboard;
  return [file, dashboard] as const;
});
const questions = dashboards.flatMap(([, { panels }]) => panels);

const duration = z.string().regex(/^\d+[smhd]$/);
const ALERTS = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Jobledger\w+$/),
          expr: z.string(),
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string(), runbook_url: z.url() }),
        }),
      ),
    }),
  ),
});
const { groups } = ALERTS.parse(loadYaml(readFileSync('infra/deploy/prometheus/alerts.yml', 'utf8')));
const rules = groups.flatMap((group) => group.rules);

const DATASOURCES = z.strictObject({
  apiVersion: z.literal(1),
  datasources: z.array(
    z.looseObject({ name: z.string(), uid: z.string(), type: z.string(), url: z.string() }),
  ),
});
const { datasources } = DATASOURCES.parse(
  loadYaml(readFileSync('infra/deploy/grafana/provisioning/datasources/jobledger.yaml', 'utf8')),
);

describe('the Grafana dashboards', () => {
  it('equal the files that "npm run dashboards" writes', () => {
    const written = Object.fromEntries(dashboards);
    const wanted = BOARDS.map((board) => [`${board.uid}.json`, JSON.parse(JSON.stringify(boardJson(board)))]);
    expect(written).toEqual(Object.fromEntries(wanted as [string, unknown][]));
  });

  it.each(dashboards)('have panels that do not overlap and have descriptions: %s', (_file, { panels }) => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_none, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos, description } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(description).toMatch(/\w\.$/);
    }
  });

  it.each(dashboards)(
    'permit the viewer to choose the data sources, and begin with the provisioned ones: %s',
    (_file, { panels, templating }) => {
      const chosen = templating.list.filter(({ type }) => type === 'datasource');
      for (const { query, current } of chosen)
        expect(datasources).toContainEqual(expect.objectContaining({ type: query, uid: current?.value }));
      const used = [
        ...panels.map(({ datasource }) => datasource.uid),
        ...panels.flatMap(({ targets }) => targets.map(({ datasource }) => datasource.uid)),
        ...templating.list.flatMap(({ datasource }) => (datasource === undefined ? [] : [datasource.uid])),
      ];
      expect(new Set(used)).toEqual(new Set(chosen.map(({ name }) => `\${${name}}`)));
      for (const { datasource } of panels)
        expect(chosen).toContainEqual(
          expect.objectContaining({ name: datasource.uid.slice(2, -1), query: datasource.type }),
        );
    },
  );

  it('link only to existing dashboards, and to their variables', () => {
    const urls = questions.flatMap(({ fieldConfig }) =>
      fieldConfig.overrides.flatMap(({ properties }) =>
        properties.flatMap(({ value }) => value.map(({ url }) => url)),
      ),
    );
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) {
      const [, target] = dashboards.find(([, { uid }]) => url.startsWith(`/d/${uid}?`)) ?? [];
      const names = [...url.matchAll(/var-(\w+)=/g)].map(([, name]) => name);
      expect(target?.templating.list.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    }
  });

  it('have expressions that Prometheus parses, and legends with labels that the expressions keep', () => {
    const expressions = questions.flatMap(({ targets }) =>
      targets.flatMap(({ expr, legendFormat }) => (expr === undefined ? [] : [{ expr, legendFormat }])),
    );
    expect(expressions.length).toBeGreaterThan(15);
    for (const { expr, legendFormat = '' } of expressions) {
      expect([expr, parsePromQl(expr).faults]).toEqual([expr, []]);
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
    }
  });
});

describe('the parser of Prometheus expressions', () => {
  it('finds errors and the names of metrics', () => {
    expect(parsePromQl('sum by (a) (rate(b_total{c="d"}[$__rate_interval])) / e')).toEqual({
      faults: [],
      metrics: ['b_total', 'e'],
    });
    expect(parsePromQl('sum(rate(b_total[5m])').faults).not.toEqual([]);
  });
});

describe('the alert rules', () => {
  it('have expressions that Prometheus parses, over metrics of Jobledger', () => {
    expect(rules.length).toBeGreaterThan(7);
    for (const { expr } of rules) {
      expect([expr, parsePromQl(expr).faults]).toEqual([expr, []]);
      expect(parsePromQl(expr).metrics).not.toEqual([]);
    }
  });

  it.each([
    ['jobledger_withheld_decisions_total', 'JobledgerDecisionsWithheld'],
    ['jobledger_decision_loops_total', 'JobledgerDecisionLoop'],
    ['jobledger_sink_failures_total', 'JobledgerSinkFails'],
    ['jobledger_objects_not_recorded_total', 'JobledgerNotRecorded'],
    ['jobledger_kafka_requests_total', 'JobledgerKafkaSilent'],
  ])('use the metric %s only in the alert %s', (metric, alert) => {
    const about = rules.filter(({ expr }) => parsePromQl(expr).metrics.includes(metric));
    expect(about.map((rule) => rule.alert)).toEqual([alert]);
  });

  it.each(rules)(
    'are in the list of alerts of the documentation: $alert',
    ({ alert, labels: { severity } }) => {
      expect(readFileSync('docs/operate/monitor.md', 'utf8')).toMatch(
        new RegExp(`\\| \`${alert}\` +\\| ${severity} +\\|`),
      );
    },
  );

  it('have unique names', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules)('link to an existing runbook: $alert', ({ annotations: { runbook_url: address } }) => {
    expect(address).toMatch(new RegExp(`^${SOURCE}`));
    const [file = '', anchor] = address.slice(SOURCE.length).split('#');
    const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings).toContain(anchor);
  });
});

describe('the configuration file prometheus.yml', () => {
  const config = z
    .looseObject({
      rule_files: z.array(z.string()),
      scrape_configs: z.array(
        z.strictObject({
          job_name: z.string(),
          static_configs: z.array(
            z.strictObject({ targets: z.array(z.string()), labels: z.record(z.string(), z.string()) }),
          ),
        }),
      ),
    })
    .parse(loadYaml(readFileSync('infra/deploy/prometheus/prometheus.yml', 'utf8')));

  it('names every service as a target', () => {
    const [jobledger] = config.scrape_configs;
    expect(jobledger?.static_configs).toEqual(
      SERVICES.map((service) => ({ targets: [`${service}:9464`], labels: { service } })),
    );
  });

  it('names only rule files that exist', () => {
    expect(config.rule_files).toEqual(['alerts.yml']);
    expect(existsSync('infra/deploy/prometheus/alerts.yml')).toBe(true);
  });
});
