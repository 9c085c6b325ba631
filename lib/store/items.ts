/** An item of the table as plain values. What an entity may rely on comes from reading it with its columns. */
export type Item = Readonly<Record<string, unknown>>

/** Whole numbers become numbers, every other N its decimal text: money never passes through binary floating point. */
export const numberOf = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}
