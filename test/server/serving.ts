import type { Home } from "../cli/support.ts";

/** `ragctl serve` of a home on a free port, once it has printed its link. */
export async function startServing(home: Home, flags: readonly string[] = []) {
  const { child, ended } = home.start(["serve", "--port", "0", ...flags]);
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (text: string) => /^http\S+/.test(text) && resolve(text.trim()));
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { child, ended, link };
}
