/** One thing that was looked at; `hint` is "" where there is nothing to do. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly message: string;
  readonly hint: string;
}
