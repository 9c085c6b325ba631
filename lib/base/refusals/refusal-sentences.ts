import type { Refusal, Refusals } from '#lib/base/refusal.ts'
import { problemsText } from '#lib/base/row-refused.ts'
import { countOf } from '#lib/base/text.ts'
import { MONEY_SENTENCES } from './money-sentences.ts'
import {
  didYouMean,
  of,
  refusalSaidIn,
  type Sentences,
  saysConflict,
  saysForbidden,
  saysInvalid,
  saysNotFound,
  unknownOrHidden,
} from './refusal-text.ts'
import { SETTING_SENTENCES } from './setting-sentences.ts'
import { valueSentence } from './value-sentences.ts'

const asItIs = ({ says }: { readonly says: string }): string => says

const SENTENCES: Sentences = {
  wrong_value: saysInvalid(({ value, takes }, field) => `${field} is "${value}", expected ${takes}`),
  missing_value: saysInvalid(({ takes }, field) => `${field} is missing, expected ${takes}`),
  unfit_secret: saysInvalid(({ takes }, field) => `${field} is unfit, expected ${takes}`),
  unfit_password: saysInvalid(({ takes }) => `The new password is unfit: use ${takes}`),
  unknown_name: saysNotFound(
    ({ noun, name, nearest }) => unknownOrHidden(`${noun} ${name}`, nearest),
    ({ noun, nearest = [] }) => (nearest.length > 0 ? undefined : { act: 'list', of: noun }),
  ),
  unstorable_text: saysInvalid(
    (_, field) => `${field} has characters that cannot be stored, or too many of them`,
  ),
  invalid: saysInvalid(asItIs),
  forbidden: saysForbidden(asItIs),
  not_found: saysNotFound(({ what, id }) => `There is no ${what} ${id}, or this account may not see it`),
  not_signed_in: of('not_signed_in')(() => 'Sign in: there is no session, or it has ended'),
  page_off: of('page_off')(() => 'The operator has switched this page off for customers'),
  wrong_credentials: of('wrong_credentials')(({ signedIn }) =>
    signedIn
      ? 'The current password is wrong'
      : 'The username or the password is wrong, or the account is blocked',
  ),
  link_ended: of('wrong_credentials')(() => 'This link was used or is too old: ask for another one'),
  too_many_attempts: of('too_many_attempts')(() => 'Too many attempts: wait 10 seconds, then try again'),
  code_needed: of('code_needed')(() => 'Enter the code of your authenticator, or a recovery code'),
  wrong_code: of('wrong_credentials')(
    () => 'This code is wrong, too old, or was used: wait for the next one, or use a recovery code',
  ),
  too_many_codes: of('too_many_attempts')(() => 'Too many wrong codes: use a recovery code, or wait an hour'),
  second_factor_on: saysConflict(() => 'The second factor is on already'),
  no_second_factor: saysConflict(({ username }) => `${username} has no second factor`),
  run_ended: saysConflict(() => 'This run has ended, or has other options: begin again'),
  refused_file: saysInvalid(asItIs),
  refused_row: saysInvalid(({ problems }) => problemsText(problems)),
  refused_cdr: saysInvalid(({ detail }) => detail),
  not_unpacked: saysInvalid(({ why }) => `The file is ${why}`),
  object_changed: saysConflict(({ key }) => `${key} has changed meanwhile: try again`),
  not_permitted: saysForbidden(({ usertype, lacks }) =>
    lacks === undefined
      ? `This is not for accounts of type ${usertype}`
      : `This takes an admin, or an account with the permission ${lacks}`,
  ),
  repeated: saysConflict(
    ({ what }) => `${what} was recorded within a day`,
    () => ({ act: 'again' }),
  ),
  already_done: of('already_done')(({ at }) => `This was done before, at ${at}: look at the result`),
  key_used: saysConflict(
    ({ at }) => `This idempotency key was used at ${at} for a request with other values`,
  ),
  refused_values: of('refused_values')(({ problems }, _, nameField) =>
    problems
      .map((one) => [one.name && (nameField?.(one.name) ?? `${one.name}:`), valueSentence(one)])
      .map((words) => words.filter(Boolean).join(' '))
      .join('; '),
  ),
  unknown_record: saysNotFound(({ noun, id, nearest }) => unknownOrHidden(`${noun} ${id}`, nearest)),
  name_and_id: saysConflict(
    ({ noun, word, named, name }) =>
      `${word} is the name of ${noun} ${named}, and the id of another one: use ${named} or ${name}`,
  ),
  list_unmigrated: saysConflict(
    ({ noun }) => `This table does not list each ${noun} yet`,
    () => ({ act: 'migrate' }),
  ),
  not_removable: saysForbidden(({ noun }) => `A ${noun} cannot be removed`),
  removal: saysConflict(
    ({ noun, id, name }) => `This removes ${noun} ${id} (${name})`,
    () => ({ act: 'agree' }),
  ),
  never_charged: saysConflict(
    ({ name, price }) => `${name} costs ${price}, and is never charged`,
    () => ({ act: 'agree' }),
  ),
  no_extension: saysConflict(({ refused }) => EXTENSIONS[refused]),
  device_limit: saysConflict(() => 'The limit of devices is reached'),
  device_has_dids: saysConflict(({ id }) => `Device ${id} has DIDs: give them to another device first`),
  device_in_rules: saysConflict(({ id }) => `Location rules use device ${id}: change them first`),
  days_reversed: saysInvalid(({ from, till }) => `${from} is after ${till}: exchange them`),
  nothing_selected: saysInvalid(() => 'Name an id, or something that selects CDRs'),
  forgets_numbers: saysConflict(
    ({ username, calls, days }) =>
      `${username} has ${countOf(calls, 'call')}${days ? ` from ${days.from} to ${days.till}` : ''}. Their numbers are erased permanently, in the table and the archive, and so are the names in internal calls`,
    () => ({ act: 'agree' }),
  ),
  drop: saysConflict(
    ({ count }) => `This deletes ${countOf(count, 'suspended CDR')} for good`,
    () => ({ act: 'agree' }),
  ),
  archived_days: saysConflict(
    ({ before }) => `Calls before ${before} are archived`,
    ({ before }) => ({ act: 'begin_at', day: before }),
  ),
  too_many_groups: saysConflict(
    ({ most }) =>
      `The report has more than ${most} rows: choose fewer dimensions or fewer days, or day as the first dimension`,
  ),
  unknown_archive: saysConflict(
    ({ day }) =>
      `Calls of ${day} are archived, and this process does not know the archive: set ARCHIVE_BUCKET to its bucket`,
  ),
  call_archived: saysConflict(
    () => 'The day of its call is archived, which is out of reach here',
    () => ({ act: 'retry_with_archive' }),
  ),
  rates_obstacle: saysConflict(
    ({ tariff, obstacle }) => `Tariff ${tariff} is not switched: ${OBSTACLES[obstacle]}`,
    ({ obstacle }) => (obstacle === 'no rows' ? undefined : { act: 'permit', obstacle }),
  ),
  other_rates: saysConflict(
    ({ tariff, by }) =>
      `Tariff ${tariff} has other rates than those that were compared${by ? `, by ${by.who} at ${by.at}` : ''}: preview again`,
  ),
  unfit_rates: saysConflict(({ tariff, says }) => `Tariff ${tariff} is not changed: ${says}`),
  not_of_yours: saysForbidden(({ username }) => `${username} is another account's: you may not change it`),
  own_account: saysForbidden(({ username }) => `${username} is your own account: another one changes it`),
  last_admin: saysConflict(
    ({ username }) => `${username} is the last active admin: add or unblock another admin before`,
  ),
  owns_customers: saysConflict(
    ({ username, customers }) =>
      `${username} has ${customers === 1 ? '1 customer, who stays' : `${customers} customers, who stay`} admitted`,
    () => ({ act: 'agree' }),
  ),
  no_hold_named: saysInvalid(() => 'Name the holds to release, or those whose time is over'),
  unknown_hold: saysNotFound(
    ({ username, hold }) => `${username} has no hold ${hold}`,
    () => ({ act: 'list', of: 'hold' }),
  ),
  no_holds: saysNotFound(({ username }) => `${username} has no holds`),
  holds_changed: saysConflict(
    ({ username }) => `The holds of ${username} changed at the same time: run it again`,
  ),
  several_of_name: saysConflict(
    ({ noun, name, count }) => `${count} have the name ${name}: use the id of one ${noun}`,
  ),
  no_earlier_version: saysConflict(
    ({ tariff }) => `Tariff ${tariff} has no earlier version: there is nothing to roll back`,
  ),
  unknown_version: saysNotFound(
    ({ tariff, version }) => `Tariff ${tariff} has no version ${version}`,
    ({ tariff }) => ({ act: 'list_versions', tariff: String(tariff) }),
  ),
  key_exists: saysConflict(
    ({ key }) => `The key ${key} exists: rotate it for a new secret, or revoke it and add it again`,
  ),
  unknown_method: saysInvalid(
    ({ method, nearest }) => `There is no method with a caller ${method}${didYouMean(nearest)}`,
  ),
  too_many_keys: saysConflict(
    ({ most }) => `An account has at most ${most} keys: revoke one, or use another account`,
  ),
  keys_too_long: saysConflict(
    ({ most, need }) =>
      `The keys of an account have room for ${most} characters, and these need ${need}: name fewer methods or addresses`,
  ),
  unfit_url: saysInvalid(({ says }, field) => `${field} ${says}`),
  unknown_event: saysInvalid(
    ({ event, events }) => `There is no event "${event}": use some of ${events.join(', ')}, or all`,
  ),
  owner_without_customers: saysInvalid(({ username }) => `${username} is neither a reseller nor a partner`),
  others_webhooks: saysForbidden(
    ({ username }) => `Webhooks of ${username} are added by this account, or by an admin`,
  ),
  mail_refused: saysInvalid(({ says }) => says),
  too_many_webhooks: saysConflict(({ count }) => `There are ${count} endpoints: remove one first`),
  too_many_owners_of_webhooks: saysConflict(
    ({ count }) => `${count} accounts have endpoints: no other one can have some`,
  ),
  too_many_by_hand: of('too_many_requests')(
    ({ count }) =>
      `Within a minute, ${count} webhooks are tested, added or sent to again: wait for the next one`,
  ),
  unknown_delivery: saysNotFound(
    ({ webhook, message, of: most }) => `${webhook} got no event ${message} among its last ${most}`,
  ),
  second_source: saysConflict(
    ({ intake, sources }) =>
      `${sources.join(', ')} ${sources.length === 1 ? 'sends' : 'send'} CDRs without a unique id: if ${intake} is the same switch, it sends its calls again, and each is suspended as possible_duplicate. Let the switch write ids, or keep one name for it`,
    () => ({ act: 'agree' }),
  ),
  intake_exists: saysConflict(
    ({ intake }) => `The intake ${intake} exists: revoke it, then add it again for a new secret`,
    ({ intake }) => ({ act: 'revoke_intake', intake }),
  ),
  unknown_account: saysNotFound(
    ({ account, nearest }) => unknownOrHidden(`account ${account}`, nearest),
    ({ nearest }) => (nearest.length > 0 ? undefined : { act: 'list_accounts' }),
  ),
  customer_of_other: saysNotFound(
    ({ owner }) => `This is a customer of account ${owner}, which alone records its customers' payments`,
    ({ owner }) => ({ act: 'act_as_owner', owner: String(owner) }),
  ),
  too_many_calls: saysInvalid(
    ({ calls, most }) => `The range has ${calls} calls, more than ${most}: choose fewer days`,
    ({ by }) => ({ act: 'at_terminal', task: 'report_calls', of: by }),
  ),
  too_many_rates: saysInvalid(
    ({ what, most }) => `${what} has more than ${most} rates`,
    ({ task, of }) => ({ act: 'at_terminal', task, of }),
  ),
  too_many_compared: saysInvalid(
    ({ rates, most }) => `Both versions have ${rates} rates, more than ${most}`,
    ({ tariff }) => ({ act: 'at_terminal', task: 'compare_versions', of: tariff }),
  ),
  ...SETTING_SENTENCES,
  ...MONEY_SENTENCES,
}

const OBSTACLES: Readonly<Record<Refusals['rates_obstacle']['obstacle'], string>> = {
  'refused rows': 'some rows of the sheet are refused',
  'no rows': 'the sheet holds no rates',
  gaps: 'hours of the week have no price, or two',
  removals: 'many rates are removed',
}

const EXTENSIONS: Readonly<Record<Refusals['no_extension']['refused'], string>> = {
  no_extension: 'There is no free extension',
  extension_format: 'The extension takes digits, *, # and +',
  extension_taken: 'The extension is used already',
  extension_emergency: 'The extension is an emergency or service number',
}

/** A refusal for people. `nameField` spells the name of an input as the reader knows it. */
export const refusalForPeople = (refusal: Refusal, nameField?: (name: string) => string) =>
  refusalSaidIn(SENTENCES, refusal, nameField)
