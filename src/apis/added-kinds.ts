/**
 * Kinds that the facts leave out, with their types, by hand: those of the group that says which
 * server answers for which group and version (spec 2, sections 3.3 and 9.3). The facts were taken
 * from the types of the built-in groups; in the reference this one belongs to the part in front of
 * them that sends requests on, so it is not among them.
 *
 * What it is not: generated. Names, numbers and life cycle are those that clients know; rows are
 * read as those of kinds.gen.ts and field-types.gen.ts are. Number 6 of the spec was given up.
 *
 * Invariant: nothing here is in the facts. Once they have it, it goes.
 */
const versions = ['v1', 'v1beta1'] as const;

export const addedKindRows = `
group apiregistration.{domain} apiregistration
v1 APIService apiservices cluster since=10 sub=status in=api-extensions
v1beta1 APIService apiservices cluster since=7 old=19 gone=22 use=v1 sub=status in=api-extensions
`;

/** Both versions have the same fields. */
export const addedTypeRows = versions.map(typesOf).join('');

function typesOf(version: (typeof versions)[number]): string {
  return `
package apiregistration/${version}
APIService kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 APIServiceSpec
 status 3 APIServiceStatus
APIServiceCondition
 type 1 string !
 status 2 string !
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
APIServiceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []APIService !
APIServiceSpec
 service 1 ServiceReference ?
 group 2 string
 version 3 string
 insecureSkipTLSVerify 4 boolean
 caBundle 5 bytes list=atomic
 groupPriorityMinimum 7 int32 !
 versionPriority 8 int32 !
APIServiceStatus
 conditions 1 []APIServiceCondition list=map:type patch=merge:type
ServiceReference
 namespace 1 string
 name 2 string
 port 3 int32 ?
`;
}
