import type { WordsOfMethods } from './words.ts'

export const session: WordsOfMethods = {
  user_login: {
    u: { says: 'The username, exact in upper and lower case.', required: true, example: 'carol' },
    p: { says: 'The password.', required: true, example: 'demo-carol' },
  },
}
