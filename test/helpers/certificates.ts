import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** PEM files of one certificate. */
export interface CertificateFiles {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** An authority of a test's own; `issue` makes a certificate for a host name, and for 127.0.0.1 with `loopback`. */
export interface Authority extends CertificateFiles {
  issue(name: string, options?: { readonly loopback?: boolean }): CertificateFiles;
}

/** Makes an authority in `folder` with openssl. */
export function makeAuthority(folder: string, name: string): Authority {
  const openssl = (...parameters: readonly string[]): void =>
    void execFileSync("openssl", [...parameters], { stdio: "pipe" });
  const files = (of: string) => ({
    certificatePath: join(folder, `${of}.pem`),
    keyPath: join(folder, `${of}.key`),
  });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const own = files(name);
  const subject = ["-subj", `/CN=${name}`, "-days", "2"];
  openssl("req", "-x509", ...key, ...subject, "-keyout", own.keyPath, "-out", own.certificatePath);
  return {
    ...own,
    issue(host, { loopback = false } = {}) {
      const issued = files(`${name}-${host}`);
      const [request, extensions] = [`${issued.keyPath}.csr`, `${issued.keyPath}.ext`];
      openssl("req", "-new", ...key, "-subj", `/CN=${host}`, "-keyout", issued.keyPath, "-out", request);
      writeFileSync(extensions, `subjectAltName=DNS:${host}${loopback ? ",IP:127.0.0.1" : ""}\n`);
      const by = ["-CA", own.certificatePath, "-CAkey", own.keyPath, "-CAcreateserial", "-days", "2"];
      openssl("x509", "-req", "-in", request, ...by, "-extfile", extensions, "-out", issued.certificatePath);
      return issued;
    },
  };
}
