import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { startTestServer } from '../support/servers/test-server.ts';
import { conditionsOf, definitionsPath } from '../support/data/custom-definitions.ts';
import { PerformanceObserver } from 'node:perf_hooks';

const root = '/work/shared/corpora/crds-real';
it('installs', async () => {
  const server = await startTestServer();
  const docs: [string, string, any][] = [];
  for (const project of readdirSync(root)) {
    for (const f of readdirSync(`${root}/${project}/crds`)) {
      for (const d of parseAllDocuments(readFileSync(`${root}/${project}/crds/${f}`, 'utf8'))) {
        const js = d.toJS(); if (js?.kind !== 'CustomResourceDefinition') continue;
        docs.push([`${project}/${f}`, JSON.stringify(js), js]);
      }
    }
  }
  console.log(docs.length, 'definitions');
  let last = performance.now(); let worst = 0; let running = true; const big: number[] = [];
  const tick = () => { const n = performance.now(); const d = n - last; if (d > worst) worst = d; if (d > 15) big.push(Math.round(d)); last = n; if (running) setImmediate(tick); };
  tick();
  const obs = new PerformanceObserver((l) => { for (const e of l.getEntries()) if (e.duration > 8) console.log('gc', Math.round(e.duration)); });
  obs.observe({ entryTypes: ['gc'] });
  for (const [name, text, js] of docs) {
    worst = 0; big.length = 0;
    const t0 = performance.now();
    const r = await server.request('POST', definitionsPath, { body: text, headers: { 'content-type': 'application/json' } });
    if (r.status !== 201) { console.log(name, r.status, r.text.slice(0, 400)); continue; }
    for (;;) {
      const { body } = await server.request('GET', `${definitionsPath}/${js.metadata.name}`, { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } });
      void body;
      const v = js.spec.versions.find((x: any) => x.served).name;
      const l = await server.request('GET', `/apis/${js.spec.group}/${v}/${js.spec.names.plural}`);
      if (l.status === 200) break;
    }
    console.log(name, Math.round(text.length / 1024) + 'K', 'ms', Math.round(performance.now() - t0), 'worst turn', Math.round(worst), String(big));
  }
  running = false;
  void conditionsOf;
  await server.remove();
});
