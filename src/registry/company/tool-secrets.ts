/** Names of header fields and query parameters whose value is a credential. */
const credential =
  /(?:^|[-_])(?:api[-_]?key|access[-_]?key|subscription[-_]?key|token|secret|passwor[dt]|passwd|pwd|auth|authorization|credentials?|cookie|session|jwt)$/i;
/** Names whose value may be one. */
const ambiguous = /^(?:key|sig|signature|code)$/i;
/**
 * Characters from which on the value of an ambiguous name is taken for a credential: the shortest keys in use
 * have 16 and more.
 */
const keyCharacters = 16;

const named = /\{secret:[\w-]+\}/;
const placeholders = /\{[\w:-]+\}/g;

const isCredential = (name: string, value: string): boolean =>
  !named.test(value) &&
  (credential.test(name)
    ? value.replaceAll(placeholders, "") !== ""
    : ambiguous.test(name) && value.length >= keyCharacters);

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}

/**
 * Whether a database's address can be read and holds no password, neither before the host nor as a parameter.
 */
export function isPasswordFree(address: string): boolean {
  const url = parsed(address);
  return (
    url !== undefined &&
    url.password === "" &&
    ![...url.searchParams.keys()].some((name) => /passw/i.test(name))
  );
}

/** What is wrong with a web address in a row: a user, a password or a key in it; undefined for nothing. */
export function credentialInUrl(address: string): string | undefined {
  if (address === "") return undefined;
  const url = parsed(address);
  if (url === undefined) return "not a web address";
  if (url.username !== "" || url.password !== "")
    return "no user or password in the URL: send them as a header, e.g. authorization: Basic {secret:NAME}";
  if (/%7Bsecret:/i.test(url.pathname)) return "{secret:NAME} is allowed only in the query and in headers";
  const name = [...url.searchParams].find(([key, value]) => isCredential(key, value))?.[0];
  return name === undefined
    ? undefined
    : `no key in the URL: write ${name}={secret:NAME}, where NAME is the environment variable that holds it`;
}

/** Whether a header's value is a literal credential rather than the name of one. */
export function isSecretHeader(name: string, value: string): boolean {
  return isCredential(name, value) || (/^(?:bearer|basic)\s+\S/i.test(value) && !named.test(value));
}
