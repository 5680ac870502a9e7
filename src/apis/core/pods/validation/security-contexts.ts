/** Rules of the security contexts of pods and of containers. */
import {
  duplicate,
  forbidden,
  invalid,
  required,
  tooLong,
} from '../../../../apimachinery/field-error.ts';
import { items, objects, part, text, texts } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/names.ts';
import { descendingPath } from './container-mounts.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, between, each, form, noProblems } from '../../../validation/checks.ts';
import { containerLists } from '../pod-parts.ts';

const idMax = 2_147_483_647;

const profilePathBytesMax = 4095;

/** `hostUsers`: the pod's users are those of the host. */
export function securityRules(context: JsonObject, path: string, hostUsers: boolean): Problems {
  const confined = context['allowPrivilegeEscalation'] === false;
  const admin = texts(part(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN');
  const cannot = 'cannot set `allowPrivilegeEscalation` to false and ';
  return allErrors(
    idRules(context, path),
    hostUsers && text(context, 'procMount') === 'Unmasked'
      ? [invalid(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`')]
      : noProblems,
    confined && context['privileged'] === true
      ? [invalid(path, context, `${cannot}\`privileged\` to true`)]
      : noProblems,
    confined && admin
      ? [invalid(path, context, `${cannot}\`capabilities.Add\` CAP_SYS_ADMIN`)]
      : noProblems,
    profileRules(context, path),
  );
}

function idRules(context: JsonObject, path: string): Problems {
  return allErrors(
    between(`${path}.runAsUser`, context['runAsUser'], 0, idMax),
    between(`${path}.runAsGroup`, context['runAsGroup'], 0, idMax),
  );
}

function profileRules(context: JsonObject, path: string): Problems {
  return allErrors(
    context['seccompProfile'] === undefined
      ? noProblems
      : seccompRules(part(context, 'seccompProfile'), `${path}.seccompProfile`),
    context['appArmorProfile'] === undefined
      ? noProblems
      : appArmorRules(part(context, 'appArmorProfile'), `${path}.appArmorProfile`),
    context['windowsOptions'] === undefined
      ? noProblems
      : windowsRules(part(context, 'windowsOptions'), `${path}.windowsOptions`),
  );
}

function seccompRules(profile: JsonObject, path: string): Problems {
  const file = profile['localhostProfile'];
  const field = `${path}.localhostProfile`;
  if (text(profile, 'type') !== 'Localhost') {
    return file === undefined
      ? noProblems
      : [invalid(field, profile, 'can only be set when seccomp type is Localhost')];
  }
  return typeof file === 'string'
    ? descendingPath(field, file)
    : [required(field, 'must be set when seccomp type is Localhost')];
}

function appArmorRules(profile: JsonObject, path: string): Problems {
  const name = profile['localhostProfile'];
  const field = `${path}.localhostProfile`;
  if (text(profile, 'type') !== 'Localhost') {
    return name === undefined
      ? noProblems
      : [invalid(field, name, 'can only be set when AppArmor type is Localhost')];
  }
  if (typeof name !== 'string' || name === '') {
    return [required(field, 'must be set when AppArmor type is Localhost')];
  }
  return allErrors(
    name.trim() === name
      ? noProblems
      : [invalid(field, name, 'must not be padded with whitespace')],
    Buffer.byteLength(name, 'utf8') > profilePathBytesMax
      ? [tooLong(field, profilePathBytesMax)]
      : noProblems,
  );
}

const userNameMax = 104;

const unusable = /["/\\:;|=,+*?<>@[\]]/;

function windowsRules(options: JsonObject, path: string): Problems {
  const name = options['runAsUserName'];
  return allErrors(
    form(
      `${path}.gmsaCredentialSpecName`,
      text(options, 'gmsaCredentialSpecName'),
      checkDns1123Subdomain,
    ),
    typeof name === 'string'
      ? checkUserName(name).map((problem) => invalid(`${path}.runAsUserName`, name, problem))
      : noProblems,
  );
}

function checkUserName(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  const parts = name.split('\\', 3);
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const own = "runAsUserName's User";
  return [
    ...(user === '' ? [`${own} cannot be empty`] : []),
    ...(user.length > userNameMax
      ? [`${own} length must not be longer than ${userNameMax} characters`]
      : []),
    ...(/^[. ]+$/.test(user) ? [`${own} cannot contain only periods or spaces`] : []),
    ...(unusable.test(user)
      ? [`${own} cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}

/** What the whole pod runs as; `spec` says what it shares with the host. */
export function podSecurityRules(spec: JsonObject, path: string): Problems {
  const context = part(spec, 'securityContext');
  const here = `${path}.securityContext`;
  return allErrors(
    between(`${here}.fsGroup`, context['fsGroup'], 0, idMax),
    idRules(context, here),
    each(items(context, 'supplementalGroups'), (group, at) =>
      between(`${here}.supplementalGroups[${at}]`, group, 0, idMax),
    ),
    sysctlRules(objects(context, 'sysctls'), `${here}.sysctls`, spec),
    profileRules(context, here),
  );
}

const sysctlNameMax = 253;

const segment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

const sysctlForm = `^(${segment}[\\./])*${segment}$`;

const sysctlName = new RegExp(sysctlForm);

const ofIpc = /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/;

function sysctlRules(sysctls: readonly JsonObject[], path: string, spec: JsonObject): Problems {
  const seen = new Set<string>();
  return each(sysctls, (sysctl, at) => {
    const name = text(sysctl, 'name');
    const field = `${path}[${at}].name`;
    const plain = name.replaceAll('/', '.');
    const repeated = seen.has(name);
    seen.add(name);
    const wrong = name.length > sysctlNameMax || !sysctlName.test(name);
    return allErrors(
      name !== '' && wrong
        ? [
            invalid(
              field,
              name,
              `must have at most ${sysctlNameMax} characters and match regex ${sysctlForm}`,
            ),
          ]
        : noProblems,
      repeated && !wrong ? [duplicate(field, name)] : noProblems,
      spec['hostNetwork'] === true && plain.startsWith('net.')
        ? [invalid(field, name, "may not be specified when 'hostNetwork' is true")]
        : noProblems,
      spec['hostIPC'] === true && ofIpc.test(plain)
        ? [invalid(field, name, "may not be specified when 'hostIPC' is true")]
        : noProblems,
    );
  });
}

/** Whose users are its own does not share other namespaces with the host. */
export function hostNamespaceRules(spec: JsonObject, path: string): Problems {
  const shared = 'ShareProcessNamespace and HostPID cannot both be enabled';
  const why = 'when `pod.Spec.HostUsers` is false';
  const own = spec['hostUsers'] === false;
  return allErrors(
    spec['hostPID'] === true && spec['shareProcessNamespace'] === true
      ? [invalid(`${path}.shareProcessNamespace`, true, shared)]
      : noProblems,
    own && spec['hostNetwork'] === true ? [forbidden(`${path}.hostNetwork`, why)] : noProblems,
    // Spelt like this by the reference.
    own && spec['hostPID'] === true ? [forbidden(`${path}.HostPID`, why)] : noProblems,
    own && spec['hostIPC'] === true ? [forbidden(`${path}.HostIPC`, why)] : noProblems,
  );
}

/** Processes of the node: all containers of a pod, or none, and in the network of the node. */
export function hostProcessRules(spec: JsonObject, path: string): Problems {
  const ofPod = hostProcessOf(spec);
  const all = containerLists.flatMap((list) =>
    objects(spec, list).map((container, at) => ({ container, here: `${path}.${list}[${at}]` })),
  );
  const count = all.filter(({ container }) => hostProcessOf(container) ?? ofPod).length;
  const same = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
  const every =
    'If pod contains any hostProcess containers then all containers must be HostProcess containers';
  const shared = 'hostNetwork must be true if pod contains any hostProcess containers';
  return allErrors(
    each(all, ({ container, here }) => {
      const own = hostProcessOf(container);
      if (own === undefined || ofPod === undefined || own === ofPod) return noProblems;
      return [invalid(`${here}.securityContext.windowsOptions.hostProcess`, own, same)];
    }),
    count > 0 && count < all.length ? [invalid(path, '', every)] : noProblems,
    count > 0 && spec['hostNetwork'] !== true
      ? [invalid(`${path}.hostNetwork`, false, shared)]
      : noProblems,
  );
}

function hostProcessOf(owner: JsonObject): boolean | undefined {
  const given = part(part(owner, 'securityContext'), 'windowsOptions')['hostProcess'];
  return typeof given === 'boolean' ? given : undefined;
}
