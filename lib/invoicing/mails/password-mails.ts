import { findCallers } from '#lib/accounts/account.ts'
import { choosingPassword, createSession } from '#lib/accounts/session.ts'
import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { GREETING, type Mail, requireMails } from '#lib/alerts/mail.ts'
import { companyOrPerson } from '#lib/base/account-types.ts'
import { DAY_SECONDS, HOUR_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { languageIn, type Translations, translator } from '#lib/base/language/language.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Mailing } from '../mailing.ts'
import { sellerOf } from '../parties.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** The setting Page_Address is blank, or customers have no page. */
    readonly no_page: { readonly setting: 'Page_Address' | 'Customer_Page' }
    readonly operators_password: { readonly username: string }
    readonly invited_account_gone: Record<never, never>
  }
}

/** How long the link of a mail works. */
const VALID_SECONDS = { forgotten: HOUR_SECONDS, invited: 7 * DAY_SECONDS }

/** Throws Refusal where a link would lead nowhere. Whom it is for makes no difference. */
export function requirePasswordMails(settings: Settings): void {
  requireMails(settings)
  if (settings.Page_Address === '') throw new Refusal('no_page', { setting: 'Page_Address' })
  if (!settings.Customer_Page) throw new Refusal('no_page', { setting: 'Customer_Page' })
}

/** Operators get a password from another admin or at the terminal: a mailbox opens no installation. */
export const isOperators = ({ usertype }: Pick<WholeAccount, 'usertype'>): boolean =>
  usertype === 'admin' || usertype === 'accountant'

const TEXTS = {
  hello: GREETING,
  subject: [
    'Choose your password',
    'Wählen Sie Ihr Passwort',
    'Choisissez votre mot de passe',
    'Elija su contraseña',
  ],
  invited: [
    'Your account is ready. Your username is {username}. Choose your password here, within a week:',
    'Ihr Konto ist eingerichtet. Ihr Benutzername ist {username}. Wählen Sie hier innerhalb einer Woche Ihr Passwort:',
    "Votre compte est prêt. Votre nom d'utilisateur est {username}. Choisissez ici votre mot de passe, dans la semaine :",
    'Su cuenta está lista. Su nombre de usuario es {username}. Elija aquí su contraseña en el plazo de una semana:',
  ],
  forgotten: [
    'Somebody has asked for a new password of your account {username}. Choose it here, within an hour:',
    'Für Ihr Konto {username} wurde ein neues Passwort angefordert. Wählen Sie es hier innerhalb einer Stunde:',
    'Un nouveau mot de passe a été demandé pour votre compte {username}. Choisissez-le ici, dans l’heure :',
    'Se ha pedido una contraseña nueva para su cuenta {username}. Elíjala aquí en el plazo de una hora:',
  ],
  newEmail: [
    'Your email was changed',
    'Ihre E-Mail-Adresse wurde geändert',
    'Votre adresse e-mail a été modifiée',
    'Su correo se ha cambiado',
  ],
  emailChanged: [
    'Your account {username} has another email now; this address gets no more mails. If you have not changed it, tell us at once.',
    'Ihr Konto {username} hat jetzt eine andere E-Mail-Adresse; diese bekommt keine Nachrichten mehr. Wenn Sie das nicht geändert haben, sagen Sie uns sofort Bescheid.',
    "Votre compte {username} a maintenant une autre adresse e-mail ; celle-ci ne reçoit plus de messages. Si vous n'avez rien modifié, prévenez-nous tout de suite.",
    'Su cuenta {username} tiene ahora otro correo; esta dirección no recibirá más mensajes. Si no lo ha cambiado, avísenos de inmediato.',
  ],
  ignore: [
    'If you have not asked for it, you need not do anything.',
    'Wenn Sie es nicht angefordert haben, müssen Sie nichts tun.',
    "Si vous ne l'avez pas demandé, vous n'avez rien à faire.",
    'Si no la ha pedido, no tiene que hacer nada.',
  ],
} as const satisfies Record<string, Translations>

interface AccountMailSource {
  readonly store: Store
  readonly settings: Settings
}

/** Makes the mail that notifies the earlier address of an account that it has another one. */
export async function emailNotice(source: AccountMailSource, mailing: Mailing): Promise<Mail> {
  const account = await findWholeAccount(source.store, mailing.user_id)
  if (!account) throw new Refusal('invited_account_gone', {})
  return mailToAccount(source, mailing, account, (text) => ({
    subject: text('newEmail'),
    lines: [text('emailChanged', { username: account.username })],
  }))
}

/** Makes the mail with a new link. The table has the digest of its token alone. */
export async function passwordMail(
  source: AccountMailSource & { readonly now: Date },
  mailing: Mailing,
): Promise<Mail> {
  const { store, settings, now } = source
  const { user_id, to, level } = mailing
  requirePasswordMails(settings)
  const account = await findWholeAccount(store, user_id)
  const [caller] = account ? await findCallers(store, [account.username]) : []
  if (!account || caller?.id !== user_id || account.blocked || account.email.trim() !== to)
    throw new Refusal('invited_account_gone', {})
  const { username } = account
  if (isOperators(account)) throw new Refusal('operators_password', { username })
  const why = level > 0 ? 'invited' : 'forgotten'
  const seconds = VALID_SECONDS[why]
  const purpose = choosingPassword(account)
  const token = await createSession(store, caller, secondsOf(now), { purpose, seconds })
  const link = `${settings.Page_Address.replace(/\/$/, '')}/#/password/${token}`
  return mailToAccount(source, mailing, account, (text) => ({
    subject: text('subject'),
    lines: [text(why, { username }), link, ...(why === 'forgotten' ? ['', text('ignore')] : [])],
  }))
}

type AccountTexts = ReturnType<typeof translator<keyof typeof TEXTS>>

/** A mail from its seller, in the language of the account. */
async function mailToAccount(
  { store, settings }: AccountMailSource,
  { to, message_id }: Mailing,
  account: WholeAccount,
  says: (text: AccountTexts) => { readonly subject: string; readonly lines: readonly string[] },
): Promise<Mail> {
  const seller = sellerOf(settings, await findWholeAccount(store, account.owner_id))
  const text = translator(TEXTS, languageIn(account.language) ?? 'en')
  const { subject, lines } = says(text)
  const said = [text('hello', { name: companyOrPerson(account) }), '', ...lines, '', seller.name]
  return {
    ...{ by: 'SES', to, messageId: message_id, from: { name: seller.name, replyTo: seller.email } },
    subject: [subject, seller.name].filter(Boolean).join(', '),
    text: said.join('\n').trim(),
  }
}
