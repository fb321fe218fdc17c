// Alert rules and dashboard of examples/deploy/, on what the command's metrics really are.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/cli/createMetrics.ts';
import { createDedupeMemory } from '../../src/relay.ts';
import { REQUEST, setUp } from '../relay/scriptedNetwork.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}
interface Dashboard {
  panels: { title: string; gridPos: object; targets: { expr: string }[] }[];
  templating: { list: { query: string }[] };
}
const { groups } = parse(readFileSync('examples/deploy/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
const dashboard = JSON.parse(readFileSync('examples/deploy/dashboard.json', 'utf8')) as Dashboard;
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.map(({ expr }) => expr);
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The series of a relay that was used, by name with the labels of each. */
async function seriesOf(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics(['tea']);
  const { post, relay } = setUp({
    dedupe: createDedupeMemory(),
    onMetric: (metric) => metrics.record({ ...metric, shop: 'tea' }),
  });
  await post('/recommendations', REQUEST);
  const text = metrics.text(relay.gauges().map((gauge) => ({ ...gauge, shop: 'tea' })));
  const series = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm))
    series.set(
      name,
      new Set([...(series.get(name) ?? []), ...[...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)]),
    );
  return series;
}

test.each([
  ['alerts', alerts],
  ['dashboard', queries],
])('the %s use series and labels that the relay has', async (_, expressions) => {
  const series = await seriesOf();
  expect(expressions.length).toBeGreaterThan(8);
  for (const expression of expressions) {
    const used = [...expression.matchAll(/\b(up|offerlet_\w+|process_\w+|nodejs_\w+)(?:\{([^}]*)\})?/g)];
    expect(used.length, expression).toBeGreaterThan(0);
    for (const [, name = '', matchers = ''] of used) {
      // Prometheus' own.
      if (name === 'up') continue;
      expect([...series.keys()], expression).toContain(name);
      // Prometheus adds `job` itself.
      for (const [, label = ''] of matchers.matchAll(/(\w+)=/g))
        expect([...(series.get(name) ?? []), 'job'], expression).toContain(label);
    }
    expect(expression.split('(').length, expression).toBe(expression.split(')').length);
  }
});

test('every counter and gauge of the relay is in the dashboard', async () => {
  const names = [...(await seriesOf()).keys()].filter((name) => /^offerlet_relay_.*(_total|[^_]\w*)$/.test(name));
  const shown = queries.join('\n');
  const missing = names.filter((name) => !/_(sum|bucket|count)$/.test(name) && !shown.includes(name));
  expect(missing).toEqual([]);
});

test('every alert says how bad it is, and what to do', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(alert).toMatch(/^Offerlet[A-Z]\w+$/);
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length * annotations.description.length).toBeGreaterThan(0);
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});
