import type { Instance } from "./retrieval.ts";

/** Each level includes the ones before it. */
export const accessLevels = ["read", "write", "admin"] as const;
export type AccessLevel = (typeof accessLevels)[number];

/** Who asks: a person, a service, or the owner of this machine's home. */
export interface Principal {
  /** UUID. */
  readonly id: string;
  /** Unique whatever its case. */
  readonly name: string;
  readonly kind: "owner" | "person" | "service";
  readonly departments: readonly string[];
  readonly enabled: boolean;
  /**
   * Folders whose documents it may ingest, absolute real paths with `/` between parts. Default none; the
   * owner needs none.
   */
  readonly roots?: readonly string[];
}

/** Name of the principal that the registry holds from the start and that commands act as without `--as`. */
export const ownerName = "owner";

/**
 * The resource of a decision. Agents, tools and folders are used with `read`; rooms and collections have all
 * levels.
 */
export interface Resource {
  readonly kind: "collection" | "agent" | "tool" | "room" | "folder";
  /**
   * Folders: the absolute real path, `/` between parts, of the folder or file to ingest.
   */
  readonly name: string;
  /**
   * Collections: the instance that holds it. Agents: "". Public rooms and collections can be read unless
   * denied.
   */
  readonly instance: Instance | "";
  /** Agents: its department. Else "". */
  readonly department: string;
  /** Tools: usable with a grant only, because it reaches the network or its row says so. Default false. */
  readonly restricted?: boolean;
  /** Folders: ragctl's own home, or within it. Default false. */
  readonly isHome?: boolean;
  /** Folders: in the home's folder of fetched files, which the owner may ingest. Default false. */
  readonly isFetched?: boolean;
  /**
   * Folders: the collection that a file was uploaded into. A principal who may write to it may ingest the
   * file. Default: it was not uploaded.
   */
  readonly uploadedTo?: { readonly name: string; readonly instance: Instance };
}

/**
 * A rule of the registry: who may, or may not, do what with what. A denial of a level also denies the levels
 * above it.
 */
export interface Grant {
  /** UUID. */
  readonly id: string;
  readonly subjectKind: "department" | "principal";
  /** Name of the department or principal. */
  readonly subject: string;
  readonly effect: "allow" | "deny";
  readonly resourceKind: Exclude<Resource["kind"], "folder">;
  /** Name of the resource; `*` every one of its kind. */
  readonly resource: string;
  /** "" for kinds other than collection, and for a collection in whichever instance. */
  readonly instance: Instance | "";
  readonly level: AccessLevel;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The agent that acts for the principal; it may do no more than its own department. */
export interface ActingAgent {
  readonly name: string;
  readonly department: string;
  readonly enabled: boolean;
}

export interface Decision {
  readonly effect: "allow" | "deny";
  /** Stable name of the rule that decided, e.g. `deny-beats-grant`, `public`, `owner`, `default-deny`. */
  readonly rule: string;
  /** One sentence for people; names nothing the principal may not know of. */
  readonly reason: string;
  /** The grant or denial that decided; null where a built-in rule did. */
  readonly grantId: string | null;
}

/** The subject of a decision, as recorded. */
export interface DecisionRecord extends Decision {
  readonly principal: string;
  /** "" for none. */
  readonly agent: string;
  readonly action: AccessLevel;
  readonly resource: Resource;
}

/** The command that says which rule decided so. */
export function explainCommand({ principal, agent, action, resource }: DecisionRecord): string {
  const word = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
  const kind = resource.kind === "collection" ? "" : ` --kind ${resource.kind}`;
  const through = agent === "" ? "" : ` --agent ${word(agent)}`;
  return `ragctl permissions explain ${word(principal)} ${action} ${word(resource.name)}${kind}${through}`;
}
