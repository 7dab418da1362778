import type { ModelEntry } from "../../models/manifest-schema.ts";
import { deterministicUuid } from "../uuid.ts";
import type { InstalledPackage } from "./packages.ts";

/** The parts in a list of components. */
export interface Parts {
  readonly program: InstalledPackage;
  readonly packages: readonly InstalledPackage[];
  readonly nodeVersion: string;
  readonly models: readonly ModelEntry[];
  readonly createdAt: Date;
}

/** Where the licence of Node.js and of what it contains is published. */
const nodeLicence = (version: string): string => `https://github.com/nodejs/node/blob/${version}/LICENSE`;

const purlOf = ({ name, version }: Pick<InstalledPackage, "name" | "version">): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

/** The parts of a bundle as a CycloneDX 1.6 document in JSON. */
export async function billOfMaterials(parts: Parts): Promise<string> {
  const { Enums, Models, Serialize, Spec, Contrib } = await import("@cyclonedx/cyclonedx-library");
  const licences = new Contrib.License.Factories.LicenseFactory(requireExpression);
  const component = (
    type: (typeof Enums.ComponentType)[keyof typeof Enums.ComponentType],
    { name, version, licence, purl }: { name: string; version: string; licence: string; purl?: string },
  ) =>
    new Models.Component(type, name, {
      version,
      bomRef: purl ?? `${name}@${version}`,
      licenses: new Models.LicenseRepository(licence === "" ? [] : [licences.makeFromString(licence)]),
      ...(purl === undefined ? {} : { purl }),
    });
  const { Application, Library, MachineLearningModel, Platform } = Enums.ComponentType;
  const bom = new Models.Bom({
    serialNumber: `urn:uuid:${deterministicUuid(JSON.stringify([parts.program, parts.packages, parts.models]))}`,
    metadata: new Models.Metadata({
      timestamp: parts.createdAt,
      component: component(Application, { ...parts.program, purl: purlOf(parts.program) }),
    }),
  });
  bom.components.add(
    component(Platform, { name: "node", version: parts.nodeVersion, licence: "MIT", purl: nodePurl(parts) }),
  );
  for (const each of uniquePackages(parts.packages))
    bom.components.add(component(Library, { ...each, purl: purlOf(each) }));
  for (const model of parts.models) bom.components.add(modelComponent(model));
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(normalizer).serialize(bom, { sortLists: true, space: 2 })}\n`;

  function modelComponent(model: ModelEntry) {
    if (model.task === "runtime") {
      const [name = model.id, version = ""] = model.package.split("==");
      return component(Platform, {
        name,
        version,
        licence: model.licence,
        purl: `pkg:pypi/${name}@${version}`,
      });
    }
    const made = component(MachineLearningModel, { name: model.id, version: "", licence: model.licence });
    const [file] = model.files;
    if (file?.sha256 !== null && file !== undefined)
      made.hashes.set(Enums.HashAlgorithm["SHA-256"], file.sha256);
    return made;
  }
}

const nodePurl = ({ nodeVersion }: Parts): string => `pkg:generic/node@${nodeVersion.replace(/^v/, "")}`;

/** Several SPDX ids, joined. @throws TypeError for anything else: one id, or a name */
function requireExpression(text: string): void {
  const words = text.replaceAll(/[()]/g, " ").trim().split(/\s+/);
  const isExpression =
    words.length > 2 &&
    words.every((word, at) => (at % 2 === 0 ? /^[A-Za-z0-9.+-]+$/ : /^(?:AND|OR|WITH)$/).test(word));
  if (!isExpression) throw new TypeError("no expression");
}

/** The same version may be installed in several places. */
const uniquePackages = (packages: readonly InstalledPackage[]): readonly InstalledPackage[] => [
  ...new Map(packages.map((each) => [`${each.name}@${each.version}`, each])).values(),
];

/** One line a part: name, version, licence. The texts of the packages' licences are in their folders. */
export function licenceList({ program, packages, nodeVersion, models }: Parts): string {
  const rows = [
    [program.name, program.version, program.licence],
    ["node", nodeVersion, `MIT and others: ${nodeLicence(nodeVersion)}`],
    ...uniquePackages(packages)
      .map(({ name, version, licence }) => [name, version, licence || "not stated"])
      .sort(([one = ""], [two = ""]) => (one < two ? -1 : 1)),
    ...models.map(({ id, licence }) => [id, "", licence]),
  ];
  return `${rows.map((row) => row.join("\t")).join("\n")}\n`;
}
