import { parser } from '@prometheus-io/lezer-promql';

export interface PromQl {
  /** The text from the first syntax error on; empty for an expression that parses. */
  faults: string[];
  /** Names of its metrics. */
  metrics: string[];
}

/** An expression parsed with Prometheus' own grammar, after Grafana's intervals are put in. */
export function parsePromQl(expression: string): PromQl {
  const text = expression.replaceAll('$__rate_interval', '1m');
  const faults: string[] = [];
  const metrics: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) faults.push(text.slice(node.from, node.from + 40));
      // Below a vector selector an identifier is the metric; elsewhere it is a label.
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector')
        metrics.push(text.slice(node.from, node.to));
    },
  });
  return { faults, metrics };
}
