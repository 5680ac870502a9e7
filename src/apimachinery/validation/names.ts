/**
 * Forms of names, label keys and label values (spec 1, section 2.2).
 *
 * Each check returns everything that is wrong with the value as sentences, and nothing when it is
 * right.
 *
 * Lengths are in bytes of UTF-8; a value that is valid is ASCII, so both counts agree for it.
 */
export type NameCheck = (value: string) => readonly string[];

/**
 * `prefix` is true for a generateName: something will be appended, so a trailing dash is fine.
 */
export type NameValidator = (name: string, prefix: boolean) => readonly string[];

const DNS_LABEL_LENGTH_MAX = 63;
const DNS_SUBDOMAIN_LENGTH_MAX = 253;
const QUALIFIED_NAME_PART_LENGTH_MAX = 63;
const LABEL_VALUE_LENGTH_MAX = 63;

const LABEL_1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123 = `${LABEL_1123}(\\.${LABEL_1123})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_PART})?`;

const isLabel1123 = formOf(LABEL_1123, /[^-a-z0-9]|^-|-$/);
const isSubdomain1123 = formOf(SUBDOMAIN_1123, /[^-a-z0-9.]|^[-.]|[-.]$|[-.]\.|\.-/);
const isLabel1035 = formOf(LABEL_1035, /[^-a-z0-9]|^[^a-z]|-$/);
const isQualifiedPart = formOf(QUALIFIED_PART, /[^-A-Za-z0-9_.]|^[^A-Za-z0-9]|[^A-Za-z0-9]$/);
const isLabelValue = formOf(LABEL_VALUE, /[^-A-Za-z0-9_.]|^[^A-Za-z0-9]|[^A-Za-z0-9]$/);

const ALPHANUMERIC_ENDS = 'and must start and end with an alphanumeric character';
const LABEL_1123_RULE =
  'a lowercase RFC 1123 label must consist of lower case alphanumeric characters or ' +
  `'-', ${ALPHANUMERIC_ENDS}`;
const SUBDOMAIN_1123_RULE =
  'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
  `'-' or '.', ${ALPHANUMERIC_ENDS}`;
const LABEL_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  'alphabetic character, and end with an alphanumeric character';
const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', " + ALPHANUMERIC_ENDS;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or " +
  `'.', ${ALPHANUMERIC_ENDS}`;

export function checkDns1123Label(value: string): readonly string[] {
  const problems = tooLong(value, DNS_LABEL_LENGTH_MAX, 'characters');
  if (isLabel1123.test(value)) return problems;
  if (isSubdomain1123.test(value)) return [...problems, 'must not contain dots'];
  return [...problems, explain(LABEL_1123_RULE, LABEL_1123, ['my-name', '123-abc'])];
}

export function checkDns1123Subdomain(value: string): readonly string[] {
  const problems = tooLong(value, DNS_SUBDOMAIN_LENGTH_MAX, 'characters');
  if (isSubdomain1123.test(value)) return problems;
  return [...problems, explain(SUBDOMAIN_1123_RULE, SUBDOMAIN_1123, ['example.com'])];
}

export function checkDns1035Label(value: string): readonly string[] {
  const problems = tooLong(value, DNS_LABEL_LENGTH_MAX, 'characters');
  if (isLabel1035.test(value)) return problems;
  return [...problems, explain(LABEL_1035_RULE, LABEL_1035, ['my-name', 'abc-123'])];
}

/** What the checks say of nearly all values. */
const noProblems: readonly string[] = [];

/** `name` or `prefix.example.com/name`: label keys, annotation keys, finalizers. */
export function checkQualifiedName(value: string): readonly string[] {
  // Most have no prefix and are short.
  if (value.length <= QUALIFIED_NAME_PART_LENGTH_MAX && isQualifiedPart.test(value)) {
    return noProblems;
  }
  // Nearly all are valid, and then the text of the rule is not asked for.
  const rule = () => explain(QUALIFIED_RULE, QUALIFIED_PART, ['MyName', 'my.name', '123-abc']);
  const parts = value.split('/', 3);
  if (parts.length > 2) {
    const form = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${rule()} ${form}`];
  }
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const found = prefix === '' ? ['must be non-empty'] : checkDns1123Subdomain(prefix);
    problems.push(...found.map((problem) => `prefix part ${problem}`));
  }
  const name = parts.at(-1) ?? '';
  if (name === '') problems.push('name part must be non-empty');
  for (const problem of tooLong(name, QUALIFIED_NAME_PART_LENGTH_MAX)) {
    problems.push(`name part ${problem}`);
  }
  if (!isQualifiedPart.test(name)) problems.push(`name part ${rule()}`);
  return problems;
}

export function checkLabelValue(value: string): readonly string[] {
  const problems = tooLong(value, LABEL_VALUE_LENGTH_MAX);
  if (isLabelValue.test(value)) return problems;
  const examples = ['MyValue', 'my_value', '12345'];
  return [...problems, explain(LABEL_VALUE_RULE, LABEL_VALUE, examples)];
}

/** The weakest rule: what can stand in a URL as one segment. RBAC roles are named like this. */
export function checkPathSegmentName(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return checkPathSegmentPrefix(value);
}

function checkPathSegmentPrefix(value: string): readonly string[] {
  return ['/', '%']
    .filter((part) => value.includes(part))
    .map((part) => `may not contain '${part}'`);
}

export const dns1123Label: NameValidator = forNamesAndPrefixes(checkDns1123Label);
export const dns1123Subdomain: NameValidator = forNamesAndPrefixes(checkDns1123Subdomain);
export const dns1035Label: NameValidator = forNamesAndPrefixes(checkDns1035Label);
export const pathSegmentName: NameValidator = (name, prefix) =>
  prefix ? checkPathSegmentPrefix(name) : checkPathSegmentName(name);

function forNamesAndPrefixes(check: NameCheck): NameValidator {
  return (name, prefix) => check(prefix && name.length > 1 ? name.replace(/-$/, 'a') : name);
}

/** Of a longer value, which no name may be, what breaks the form is searched: it is found as soon
 * as it is there, where the form itself goes back over all that it has read, 160 ms for 3 MB. */
const wholeMax = 1_024;

/** `breaks` finds something in each value that has another form and is not empty. */
function formOf(pattern: string, breaks: RegExp): Pick<RegExp, 'test'> {
  const whole = new RegExp(`^(?:${pattern})$`);
  return {
    test: (value) => (value.length <= wholeMax ? whole.test(value) : !breaks.test(value)),
  };
}

/** The reference counts bytes, and calls them characters where it speaks of names of DNS. */
function tooLong(value: string, maxBytes: number, unit = 'bytes'): string[] {
  // No character takes more than three bytes a UTF-16 unit, so most values need no count.
  if (value.length * 3 <= maxBytes || Buffer.byteLength(value, 'utf8') <= maxBytes) return [];
  return [`must be no more than ${maxBytes} ${unit}`];
}

function explain(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
