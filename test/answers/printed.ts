/** The texts of the leaf elements of this name in an answer, in their order. */
export const elementTexts = (answer: string, element: string): string[] =>
  [...answer.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text]) => String(text))

/** The ids of the calls that an answer lists. */
export const callsListedIn = (answer: string): string[] => elementTexts(answer, 'uniqueid')

/** The number of calls that an answer states, whether or not it lists them. */
export const totalIn = (answer: string): number => Number(elementTexts(answer, 'total_calls')[0])
