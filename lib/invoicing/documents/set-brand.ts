import { defineAct } from '#lib/acts/act.ts'
import { accountInput, type Input, optionalInput, type PlainInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, seesEveryone } from '#lib/base/scope.ts'
import { type Brand, findBrand, isColour, logoBytes, logoOf, putBrand } from './brand.ts'

const MAX_FOOTER = 1000

/** A text of which blank removes what is there. */
const removable = (
  says: string,
  placeholder: string,
  takes: string,
  isFit: (text: string) => boolean,
): Input<string | undefined> => ({
  ...{ takes, placeholder, says, isOptional: true, takesBlank: true },
  read: (text, name) => {
    if (text === '' || isFit(text)) return text
    const value = text.length > MAX_FOOTER ? `a text of ${text.length} characters` : text
    throw new Refusal('wrong_value', { value, takes: `${takes}, or a blank text` }, name)
  },
})

const logo: PlainInput<string> = {
  ...{ takes: 'PNG or JPEG of at most 100 KB', placeholder: 'DATA', isOptional: false, takesBlank: true },
  says: 'a logo as a data: address; blank removes it',
  read: (text, name) => {
    try {
      return text === '' ? '' : logoOf(logoBytes(text))
    } catch (error) {
      const value = error instanceof Error ? error.message : String(error)
      throw new Refusal('wrong_value', { value, takes: logo.takes }, name)
    }
  },
}

/** The look of a seller's documents and of its customers' page. A value that is not given stays. */
export const setBrand = defineAct({
  summary: 'Change the logo, the colour and the footer of documents',
  callers: OWNERS,
  input: {
    seller: optionalInput(accountInput('the reseller or partner; by default the own look')),
    logo: optionalInput(logo),
    colour: removable('a colour such as #0a7d5a', 'COLOUR', 'colour such as #0a7d5a', isColour),
    footer: removable(
      'what the law wants of the seller: register, directors, interest on late payments',
      'TEXT',
      `text of at most ${MAX_FOOTER} characters`,
      ({ length }) => length <= MAX_FOOTER,
    ),
  },
  run: async ({ store, actor }, { seller, ...given }) => {
    const own = seesEveryone(actor) ? ADMIN_ACCOUNT : actor.id
    const id = seller?.id ?? own
    if (id !== own && !seesEveryone(actor))
      throw new Refusal('unknown_account', { account: String(id), nearest: [] }, 'seller')
    const before = await findBrand(store, id)
    const changed = Object.entries(given).filter(([, value]) => value !== undefined)
    const brand: Brand = {
      ...before,
      ...Object.fromEntries(changed),
      colour: (given.colour ?? before.colour).toLowerCase(),
    }
    if (changed.length === 0) return { answer: brand }
    return {
      changes: putBrand(id, brand),
      answer: brand,
      log: {
        action: `changed the ${changed.map(([name]) => name).join(', ')} of ${seller?.username ?? actor.username}`,
      },
    }
  },
})
