import type { Tool, ToolType } from "../core/answers/tool.ts";
import type { ToolDrivers, ToolRow } from "./drivers.ts";

type Loader = (row: ToolRow, drivers: ToolDrivers) => Promise<Tool>;

/** The inventory: the loader of each registry row type, imported on first use. */
const loaders: Readonly<Record<ToolType, () => Promise<Loader>>> = {
  rag: async () => (await import("./rag.ts")).default,
  calculator: async () => (await import("./calculator/calculator.ts")).default,
  database_query: async () => (await import("./database/database-query.ts")).default,
  api_call: async () => {
    const { default: open } = await import("./network/api-call.ts");
    return (row, drivers) => open(row, drivers);
  },
  web_search: async () => {
    const { default: open } = await import("./network/web-search.ts");
    return (row, drivers) => open(row, drivers);
  },
  generic: async () => (await import("./generic.ts")).default,
};

/** Makes the tool of a registry row. @throws CONFIG_INVALID naming the field */
export async function openTool(row: ToolRow, drivers: ToolDrivers): Promise<Tool> {
  const load = await loaders[row.type]();
  return load(row, drivers);
}
