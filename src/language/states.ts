/** US states by postal code. */
const states: ReadonlyMap<string, string> = new Map(
  `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia
FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine
MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada
NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon
PA Pennsylvania,PR Puerto Rico,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont
VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming`
    .split(/[,\n]/)
    .map((line) => [line.slice(0, 2), line.slice(3)]),
);

/** After a place name: `Madison, WI`; in a text in capitals `, OR` is a word. */
const code = new RegExp(`(?<=\\p{Ll},\\s)(?:${[...states.keys()].join("|")})(?![\\p{L}\\p{N}])`, "gu");

/** Adds the name of a state after its code: `Madison, WI (Wisconsin)`. */
export const expandStateCodes = (text: string): string =>
  text.replace(code, (found) => `${found} (${states.get(found)})`);
