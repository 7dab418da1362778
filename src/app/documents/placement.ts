import type { Instance } from "../../core/retrieval.ts";
import type { CollectionProfiles } from "../../registry/company/profiles.ts";
import type { Collections } from "../../registry/documents/collections.ts";

/** Where documents of a collection go when nobody says. */
export interface Placement {
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
}

/** As the collection is, else as the registry plans it, else by its name: `hr_private_docs` is private and of hr. Source: mission A10. */
export function placementOf(
  name: string,
  {
    collections,
    profiles,
  }: {
    readonly collections: Pick<Collections, "instances">;
    readonly profiles: Pick<CollectionProfiles, "find">;
  },
): Placement {
  const planned = profiles.find(name);
  const [, owner] = /^(.+)_private_docs$/.exec(name) ?? [];
  const instance =
    collections.instances().get(name) ?? planned?.instance ?? (owner === undefined ? "public" : "private");
  return { instance, department: planned?.department ?? owner ?? "" };
}
