/** For `sort`: numbers by size, texts by their code units, as the table orders its keys. */
export const ascending = <T extends string | number>(one: T, other: T): number =>
  Number(one > other) - Number(one < other)
