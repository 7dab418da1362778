/** Door to the schema library: everything that checks data from outside imports it from here. */
export { z } from "zod";
