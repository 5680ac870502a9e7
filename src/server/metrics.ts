/**
 * The metrics page, in the text form that Prometheus scrapes.
 *
 * What it is not: counting. The parts count for themselves; their numbers are read when the page is
 * asked for, so nothing on a hot path knows of metrics.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Measured {
  readonly name: string;
  readonly help: string;
  read(): number;
}

export interface MetricsPage {
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export function createMetricsPage(measured: readonly Measured[]): MetricsPage {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, help, read } of measured) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
  return {
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
