import type { AccessLevel, Decision, Grant, Principal, Resource } from "../../core/permission.ts";
import { schemaVersion } from "./shapes.ts";

/** A principal with the time it was added, ISO 8601. */
export interface PrincipalView extends Principal {
  readonly createdAt: string;
}

/** One member of `principals` in principals.schema.json. */
export function principalShape({
  id,
  name,
  kind,
  departments,
  roots = [],
  enabled,
  createdAt,
}: PrincipalView) {
  return { id, name, kind, departments, roots, enabled, created_at: createdAt };
}

/** principals.schema.json. */
export function principalsShape(principals: readonly PrincipalView[]) {
  return { schema_version: schemaVersion, principals: principals.map(principalShape) };
}

/** One member of `permissions` in permissions.schema.json; `instance` is "" for both and for what lives in none. */
export function ruleShape({
  id,
  subjectKind,
  subject,
  effect,
  level,
  resourceKind,
  resource,
  instance,
  createdAt,
}: Grant) {
  return {
    ...{ id, effect, level, subject_kind: subjectKind, subject },
    ...{ resource_kind: resourceKind, resource, instance, created_at: createdAt },
  };
}

/** permissions.schema.json: the rules that fit, were written or were removed. */
export function permissionsShape(rules: readonly Grant[]) {
  return { schema_version: schemaVersion, permissions: rules.map(ruleShape) };
}

/** A decision and what it was about. */
export interface ExplanationView extends Decision {
  readonly principal: PrincipalView;
  readonly agent: string | null;
  readonly action: AccessLevel;
  readonly resource: Resource;
  readonly exists: boolean;
  readonly grant: Grant | null;
}

/** explanation.schema.json. */
export function explanationShape({
  principal,
  agent,
  action,
  resource,
  exists,
  effect,
  rule,
  reason,
  grant,
}: ExplanationView) {
  return {
    schema_version: schemaVersion,
    ...{ principal: principal.name, departments: principal.departments, agent, action },
    resource: { kind: resource.kind, name: resource.name, instance: resource.instance, exists },
    ...{ effect, rule, reason, permission: grant === null ? null : ruleShape(grant) },
  };
}

/** A decision as it was recorded. */
export interface DecisionView extends Decision {
  readonly decidedAt: string;
  readonly runId: string;
  readonly principal: string;
  readonly agent: string;
  readonly action: AccessLevel;
  readonly resource: Resource;
}

/** One member of `decisions` in decisions.schema.json. */
export function decisionShape({
  decidedAt,
  runId,
  principal,
  agent,
  action,
  resource,
  effect,
  rule,
  reason,
  grantId,
}: DecisionView) {
  return {
    ...{ decided_at: decidedAt, run_id: runId, principal, agent, action },
    ...{ resource_kind: resource.kind, resource: resource.name, instance: resource.instance },
    ...{ effect, rule, reason, permission_id: grantId },
  };
}

/** decisions.schema.json. */
export function decisionsShape(decisions: readonly DecisionView[]) {
  return { schema_version: schemaVersion, decisions: decisions.map(decisionShape) };
}

/** What an audit found. */
export interface AuditView {
  readonly canaries: number;
  readonly principals: readonly {
    readonly principal: string;
    readonly attempts: number;
    readonly controls: number;
    readonly controlsFailed: readonly string[];
    readonly leaks: readonly unknown[];
  }[];
  readonly leaks: readonly {
    readonly principal: string;
    readonly attempt: string;
    readonly like: string;
    readonly evidence: string;
  }[];
}

/** audit.schema.json. */
export function auditShape({ canaries, principals, leaks }: AuditView) {
  return {
    schema_version: schemaVersion,
    canaries,
    principals: principals.map(({ principal, attempts, controls, controlsFailed, leaks: own }) => {
      return { principal, attempts, leaked: own.length, controls, controls_failed: controlsFailed };
    }),
    leaks: leaks.map(({ principal, attempt, like, evidence }) => ({ principal, attempt, like, evidence })),
  };
}
