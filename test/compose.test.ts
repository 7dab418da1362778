import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { isKnownVariable } from "../src/config/environment.ts";
import { z } from "../src/core/schema.ts";
import { commands } from "../src/operations/command-list.ts";
import { root } from "./cli/support.ts";

const commandNames = Object.values(commands).flatMap(Object.keys);

const names = z.array(z.string()).default([]);
const composeSchema = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string(),
      build: z.string().optional(),
      command: names,
      environment: z.record(z.string(), z.string()).default({}),
      secrets: names,
      volumes: names,
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      ports: names,
      healthcheck: z.looseObject({ disable: z.boolean().optional() }).optional(),
      read_only: z.boolean().optional(),
      restart: z.string(),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.object({ file: z.string() })).default({}),
});
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const compose = composeSchema.parse(parse(read("compose.yaml"), { merge: true }));
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

test("every variable that compose.yaml gives ragctl is one that it knows, with secrets in files", () => {
  assert.deepEqual(ours.map(([name]) => name).sort(), ["models", "serve", "worker"]);
  for (const [name, { environment }] of ours) {
    for (const [variable, value] of Object.entries(environment)) {
      const base = variable.replace(/_FILE$/, "");
      assert.ok(isKnownVariable(base), `${name}: ${variable}`);
      if (base !== variable) assert.match(value, /^\/run\/secrets\/[a-z_]+$/, variable);
      assert.doesNotMatch(value, /:\/\/[^/]*@/, `${variable} holds a password`);
    }
  }
});

test("every command, volume, secret and service that compose.yaml names is there", () => {
  for (const [name, { command }] of ours)
    assert.ok(commandNames.includes(command[0] ?? ""), `${name}: ${command[0]}`);
  for (const [name, service] of services) {
    for (const secret of service.secrets)
      assert.ok(Object.hasOwn(compose.secrets, secret), `${name}: the secret ${secret}`);
    for (const [volume = ""] of service.volumes.map((each) => each.split(":")))
      assert.ok(volume.startsWith("./") || Object.hasOwn(compose.volumes, volume), `${name}: ${volume}`);
    for (const other of Object.keys(service.depends_on))
      assert.ok(Object.hasOwn(compose.services, other), `${name} depends on ${other}`);
    const used = [
      ...service.command,
      ...Object.values(service.environment),
      JSON.stringify(service.healthcheck),
    ];
    for (const [, secret = ""] of used.join(" ").matchAll(/\/run\/secrets\/(\w+)/g))
      assert.ok(service.secrets.includes(secret), `${name} reads ${secret}`);
  }
  const hosts = Object.values(ours.find(([name]) => name === "serve")?.[1].environment ?? {});
  for (const [, host = ""] of hosts.join(" ").matchAll(/(?:https?:\/\/|^|\s)([a-z_]+):\d+/g))
    assert.ok(Object.hasOwn(compose.services, host), `no service is called ${host}`);
});

test("every service is watched and comes back, and ragctl cannot write its own files", () => {
  for (const [name, { healthcheck, restart }] of services) {
    assert.notEqual(restart, "no", name);
    if (name !== "models") assert.notEqual(healthcheck, undefined, `${name} has no health check`);
  }
  for (const [name, service] of ours) assert.equal(service.read_only, true, name);
  for (const { condition } of Object.values(compose.services["serve"]?.depends_on ?? {}))
    assert.notEqual(condition, "service_started");
});

test("one person's container has its home in a volume, and is reached from this machine alone", () => {
  const alone = composeSchema.parse(parse(read("compose.alone.yaml")));
  const [[, service] = [], ...others] = Object.entries(alone.services);
  assert.deepEqual([others, service?.read_only], [[], true]);
  assert.ok(commandNames.includes(service?.command[0] ?? ""));
  assert.ok(service?.ports.every((port) => port.startsWith("127.0.0.1:")));
  const origin = service?.command.at(-1) ?? "";
  assert.equal(new URL(origin).port, service?.ports[0]?.split(":")[1]);
  const [volume = ""] = service?.volumes[0]?.split(":") ?? [];
  assert.ok(Object.hasOwn(alone.volumes, volume));
});

test("the image is made of files that are there, and runs as nobody special", () => {
  const lines = read("Dockerfile").split("\n");
  const copied = lines.flatMap((line) => {
    const [instruction, ...words] = line.split(" ");
    return instruction === "COPY" && !words[0]?.startsWith("--") ? words.slice(0, -1) : [];
  });
  assert.ok(copied.length > 8);
  const allowed = read(".dockerignore").split("\n");
  for (const path of copied) {
    assert.ok(existsSync(join(root, path)), path);
    assert.ok(allowed.includes(`!${path}`), `.dockerignore keeps ${path} out`);
  }
  assert.equal(allowed[1], "*");
  assert.ok(lines.includes("USER 1000:1000"));
  const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(read("package.json")));
  for (const [, config = ""] of read("scripts/build.js").matchAll(/"(tsconfig\.\w+\.json)"/g))
    assert.ok(copied.includes(config), `the image lacks ${config}, which the build reads`);
  for (const path of files)
    assert.ok(path === "dist" || copied.some((each) => path.startsWith(each)), `the image lacks ${path}`);
  assert.ok(read(".gitignore").split("\n").includes("/secrets/"));
});
