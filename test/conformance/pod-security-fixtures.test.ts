/**
 * PodSecurity against the fixtures of its reference: for every level and release pods that pass and
 * pods that fail, each failing one by the check that its file is named after.
 *
 * They are not part of this project: SLUICE_POD_SECURITY_FIXTURES names the folder `test/testdata`
 * of a clone of github.com/kubernetes/pod-security-admission (its branch release-1.33, or newer).
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { findingsIn } from '../../src/admission/pod-security/checks.ts';
import { evaluatedPod } from '../../src/admission/pod-security/evaluated-pod.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { currentRelease } from '../../src/apis/served-versions.ts';

const folder = process.env['SLUICE_POD_SECURITY_FIXTURES'] ?? '';
const skip = folder === '' && 'SLUICE_POD_SECURITY_FIXTURES names no fixtures';

/** What the texts say of a check, where that is not its name. */
const words: Readonly<Record<string, RegExp>> = {
  apparmorprofile: /forbidden AppArmor profile/,
  allowprivilegeescalation: /allowPrivilegeEscalation/,
  capabilities_baseline: /non-default capabilities|unrestricted capabilities/,
  capabilities_restricted: /unrestricted capabilities/,
  hostnamespaces: /host namespaces/,
  hostpathvolumes: /hostPath volumes|restricted volume types/,
  hostports: /hostPort/,
  privileged: /privileged/,
  procmount: /procMount/,
  restrictedvolumes: /restricted volume types/,
  runasnonroot: /runAsNonRoot/,
  runasuser: /runAsUser/,
  seccompprofile_baseline: /seccompProfile/,
  seccompprofile_restricted: /seccompProfile/,
  selinuxoptions: /seLinuxOptions/,
  sysctls: /forbidden sysctls/,
  windowshostprocess: /hostProcess/,
  base: /./,
};

describe('the fixtures of pod security', () => {
  it('are there', { skip }, () => assert.ok(existsSync(path.join(folder, 'restricted'))));
  if (skip !== false) return;
  const rules = { release: currentRelease, relaxesUserNamespaces: false };
  for (const level of ['baseline', 'restricted'] as const) {
    for (const name of readdirSync(path.join(folder, level))) {
      const version = Number(/^v1\.(\d+)$/.exec(name)?.[1]);
      if (!(version <= currentRelease)) continue;
      it(`${level} of ${name}`, () => {
        let seen = 0;
        for (const outcome of ['pass', 'fail'] as const) {
          const at = path.join(folder, level, name, outcome);
          for (const file of readdirSync(at)) {
            const found = findingsIn(podIn(path.join(at, file)), { level, version }, rules);
            const texts = found.map(({ detail, reason }) => `${reason} (${detail})`).join(', ');
            if (outcome === 'pass') assert.equal(texts, '', file);
            else assert.match(texts, wordsOf(file), file);
            seen += 1;
          }
        }
        assert.ok(seen > 10, 'there are fixtures');
      });
    }
  }
});

function wordsOf(file: string): RegExp {
  const check = file.replace(/(?:\d+|_\d+)?\.yaml$/, '').replace(/\d+$/, '');
  const found = words[check];
  assert.ok(found !== undefined, `${file}: a check that is known`);
  return found;
}

function podIn(file: string) {
  const decoded = decodeYaml(readFileSync(file));
  assert(decoded.kind !== 'refused', file);
  const pod = decoded.value as JsonObject;
  const annotations = part(part(pod, 'metadata'), 'annotations') as Record<string, string>;
  const spec = part(pod, 'spec');
  // A pod is completed before it is judged: a volume of no type is an empty folder.
  const volumes = objects(spec, 'volumes').map((volume) =>
    Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume,
  );
  return evaluatedPod(annotations, { ...spec, volumes }, 'kubernetes.io');
}
