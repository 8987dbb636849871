import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

/** What one process counts, in Prometheus' text format. A service names its metrics; it knows no library. */
export interface Metrics {
  counter(about: About): (labels: Labels, by?: number) => void;
  histogram(about: About & { buckets: number[] }): (labels: Labels, value: number) => void;
  /** `read` is asked whenever somebody looks. */
  gauge(about: About, read: () => readonly { labels: Labels; value: number }[]): void;
  /** What another library measures, in the same format under names of its own. */
  include(text: () => Promise<string>): void;
  readonly contentType: string;
  text(): Promise<string>;
}

interface About {
  name: string;
  help: string;
  labels: readonly string[];
}

/** Those of the process (CPU, memory, event loop) are among them from the start. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const options = ({ name, help, labels }: About) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const others: (() => Promise<string>)[] = [];
  return {
    contentType: registry.contentType,
    async text() {
      const texts = await Promise.all([registry.metrics(), ...others.map((text) => text())]);
      return texts.join('\n');
    },
    include: (text) => void others.push(text),
    counter(about) {
      const counter = new Counter(options(about));
      return (labels, by = 1) => counter.inc(labels, by);
    },
    histogram(about) {
      const histogram = new Histogram({ ...options(about), buckets: about.buckets });
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge(about, read) {
      const gauge = new Gauge({
        ...options(about),
        collect() {
          gauge.reset();
          for (const { labels, value } of read()) gauge.set(labels, value);
        },
      });
    },
  };
}

/** `count` upper bounds from `start` on, each twice the one before. */
export function doubling(start: number, count: number): number[] {
  return Array.from({ length: count }, (_none, power) => start * 2 ** power);
}
